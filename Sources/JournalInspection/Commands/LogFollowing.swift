internal import DiskAccess
internal import Journaling
internal import ObjectStore

/// The place of a journal that is followed, where another may be put, or an earlier state of the same.
struct FollowedPlace {
  private let path: String
  private let disk: any ReadableDisk
  /// The folder of the segments, which stays the same as long as the journal is there.
  private let folder: FileInformation?
  /// The newest manifest that was met; nil where none could be read.
  private var manifest: Manifest?
  /// The last frame that was known to be durable.
  private var durable = FrameNumber.none
  /// The last commit that was shown; nil where it cannot be read.
  private var mark: CommitMark?

  init(_ request: Request) throws(ToolError) {
    (path, disk) = (try request.path(), request.disk)
    folder = try Self.folder(at: path, on: disk)
    guard let found = Self.manifest(at: path, on: disk) else { return }
    (manifest, durable) = found
  }

  private static func folder(
    at path: String, on disk: any ReadableDisk
  ) throws(ToolError) -> FileInformation? {
    do throws(DiskError) {
      return try disk.folderForReading(at: path).information(of: JournalFiles.journalFolder)
    } catch {
      guard error.code == .notFound || error.meetsNoFolder else { throw ToolError(error) }
      return nil
    }
  }

  /// The manifest, and the last frame that is known to be durable by that and the file of unsaved edits.
  private static func manifest(
    at path: String, on disk: any ReadableDisk
  ) -> (Manifest, durable: FrameNumber)? {
    // What cannot be read of it the reader tells, which reads it as well.
    guard let reader = try? JournalReader(at: path, on: disk) else { return nil }
    let (manifest, folder) = (reader.manifest, reader.folder)
    let noted = try? EditBufferContents.durableThrough(in: folder, store: manifest.store)
    return (manifest, max(manifest.durableThrough, (noted ?? nil) ?? .none))
  }

  /// Notes what has been shown.
  mutating func note(_ store: StoreReader) {
    guard mark?.number != store.lastCommit else { return }
    mark = try? store.mark(of: store.lastCommit)
  }

  /// Refuses to go on where the journal is there no more, or another or an earlier one is in its place: what is open
  /// leads to what was there all the same.
  ///
  /// - Parameter isDoubted: whether what was read contradicts what was read before.
  mutating func refuseReplaced(isDoubted: Bool = false) throws(ToolError) {
    let found = try Self.folder(at: path, on: disk)
    guard found?.device == folder?.device, found?.node == folder?.node else {
      throw found == nil
        ? ToolError(.noJournal, "the journal at “\(path)” is there no more.") : isAnother
    }
    guard let (latest, durable) = Self.manifest(at: path, on: disk) else { return }
    let (before, lastDurable) = (manifest ?? latest, self.durable)
    guard latest.store == before.store else { throw isAnother }
    // Each manifest of a journal has a larger number than those before it.
    let isEarlier = latest.generation < before.generation
    if isEarlier || durable < lastDurable || isDoubted {
      let hasShown = hasShown()
      if isEarlier, hasShown == true { throw isAnother }
      if isEarlier || hasShown == false {
        throw ToolError(
          .noJournal,
          "the journal at “\(path)” was put back to an earlier state; follow it anew.")
      }
      // As long as it is not certain it is looked at again.
      if hasShown == nil { return }
    }
    (manifest, self.durable) = (latest, durable)
  }

  private var isAnother: ToolError {
    ToolError(.noJournal, "the journal at “\(path)” is another one now; follow that anew.")
  }

  /// Whether the journal has the last commit that was shown; nil where that is not certain. A writer may just be storing
  /// what says how much is durable: then there is more than that.
  private func hasShown() -> Bool? {
    guard let mark else { return nil }
    do throws(StoreError) {
      let store = try StoreReader(on: disk, at: path, limits: .ofTool)
      guard !store.isBehind, !store.endsAtDamage else { return nil }
      guard store.lastCommit >= mark.number else { return false }
      return try store.mark(of: mark.number) == mark
    } catch {
      // What has been dropped was there.
      return error.code == .commitMissing ? true : nil
    }
  }
}

extension Request {
  private static let pauseMilliseconds = 200
  /// How often it is looked again whether another journal is being put there, before damage is told.
  private static let attemptCount = 5

  /// Follows a journal until nobody reads any more, or nothing more can come.
  ///
  /// - Parameter body: tells what has come.
  func follow(
    _ store: StoreReader, at place: FollowedPlace?, _ body: () throws(StoreError) -> Void
  ) throws(ToolError) -> ExitStatus {
    var place = place
    place?.note(store)
    while !store.endsAtDamage, output.isOpen,
      output.console.pause(milliseconds: Self.pauseMilliseconds)
    {
      output.flush()
      try place?.refuseReplaced()
      do throws(StoreError) {
        if try store.refresh() { try body() }
      } catch {
        try refuseReplaced(&place)
        throw ToolError(error)
      }
      if store.endsAtDamage { try refuseReplaced(&place) }
      place?.note(store)
      output.flush()
    }
    return .fine
  }

  /// Looks for what has been put in the place of a journal that looks damaged now: of what is just being removed or
  /// copied over the rest looks so.
  private func refuseReplaced(_ place: inout FollowedPlace?) throws(ToolError) {
    output.flush()
    for _ in 1...Self.attemptCount {
      _ = output.console.pause(milliseconds: Self.pauseMilliseconds)
      try place?.refuseReplaced(isDoubted: true)
    }
  }
}
