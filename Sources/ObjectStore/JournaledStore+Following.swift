internal import DiskAccess
internal import Journaling

// Waiting for commits without a thread of one's own.
extension JournaledStore {
  /// Somebody who is told when a commit is made.
  struct Follower {
    let sent: SentCommit?
    let tell: @Sendable (Result<Void, StoreError>) -> Void
  }

  /// Waits until a commit is made and shown to readers, and lets the caller's thread do something else meanwhile.
  ///
  /// One thread waits for all who wait so: it leads, or follows who leads, and what it has made durable for one is
  /// durable for those behind. It begins with the first of them and ends with the last.
  ///
  /// - Returns: why the commit was not made, where it was not.
  package nonisolated(nonsending) func outcome(
    of sent: SentCommit
  ) async -> Result<Void, StoreError> {
    guard isAwaited(sent) else {
      return Result { () throws(StoreError) in try finish(sent) }
    }
    return await withCheckedContinuation { continuation in
      follow(Follower(sent: sent) { continuation.resume(returning: $0) })
    }
  }

  /// Waits as `catchUp()` does, and lets the caller's thread do something else meanwhile.
  package nonisolated(nonsending) func catchUpLater() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      follow(Follower(sent: nil) { _ in continuation.resume() })
    }
  }

  private func follow(_ follower: Follower) {
    let isFirst = following.withLock {
      followers.append(follower)
      defer { areFollowersTold = true }
      return !areFollowersTold
    }
    guard isFirst else { return }
    do throws(DiskError) {
      guard options.journal.hasUpkeepThread else { return tellFollowers() }
      // It ends by itself, and holds the store until then.
      _ = try BackgroundThread { [self] in tellFollowers() }
    } catch {
      // The system has no more threads: this one has to wait.
      tellFollowers()
    }
  }

  /// Tells all followers, each once, and those who come meanwhile.
  private func tellFollowers() {
    while true {
      let next = following.withLock {
        defer { followers = [] }
        // Whoever comes after this has another thread begin.
        areFollowersTold = !followers.isEmpty
        return followers
      }
      if next.isEmpty { return }
      for follower in next {
        guard let sent = follower.sent else {
          catchUp()
          follower.tell(.success(()))
          continue
        }
        follower.tell(Result { () throws(StoreError) in try finish(sent) })
      }
    }
  }
}
