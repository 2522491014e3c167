extension FileContent {
  /// Makes the bytes and the length durable; what a failed sync gave up stays lost.
  mutating func sync() {
    takeInMapping()
    guard isPending else { return }
    persistLength()
    for sector in unsynced.sectors { persist(sector) }
    unsynced.removeAll()
    earlier = [:]
    earlierLengths = []
  }

  /// Puts other bytes in place that are durable at once.
  mutating func settle(_ bytes: [UInt8]) {
    resize(to: bytes.count)
    bytes.withUnsafeBytes { write($0, at: 0) }
    sync()
  }

  /// Fails a sync: marks everything clean, although only the sectors named have reached the medium.
  ///
  /// The length goes with the file system's own bookkeeping and stays to be synced.
  mutating func failSync(persisting isPersisted: (Int) -> Bool) {
    takeInMapping()
    for sector in unsynced.sectors {
      if isPersisted(sector) {
        persistLength()
        persist(sector)
      } else if sector * Self.sectorByteCount < live.count {
        lost.insert(sector)
      }
    }
    unsynced.removeAll()
    earlier = [:]
  }

  /// Forgets what is clean: a read shows the medium again. Mapped pages are kept, as the system does.
  mutating func forget() {
    takeInMapping()
    let mapped = region?.byteCount ?? 0
    for sector in lost.sectors where sector * Self.sectorByteCount >= mapped {
      let range = Self.range(of: sector).clamped(to: 0..<live.count)
      let content = Self.sector(sector, of: durable)
      live.replaceSubrange(range, with: content[..<range.count])
      lost.remove(sector)
    }
  }

  /// Changes bytes on the medium and in what a read shows, and nobody is told.
  ///
  /// - Parameter rotten: what becomes of a byte, by its position in the sector, of which the file has a
  ///   number of bytes.
  mutating func rot(
    _ sector: Int, _ rotten: (_ position: Int, _ count: Int, _ byte: UInt8) -> UInt8
  ) {
    takeInMapping()
    let range = Self.range(of: sector)
    let count = range.clamped(to: 0..<live.count).count
    for position in range {
      let place = position - range.lowerBound
      if position < live.count { live[position] = rotten(place, count, live[position]) }
      if position < durable.count { durable[position] = rotten(place, count, durable[position]) }
    }
    showInMapping(Self.range(of: sector).clamped(to: 0..<live.count))
  }

  private mutating func persistLength() {
    earlierLengths = []
    durable.setCount(live.count)
  }

  private mutating func persist(_ sector: Int) {
    let range = Self.range(of: sector).clamped(to: 0..<live.count)
    guard !range.isEmpty else { return }
    live.withUnsafeBytes { live in
      durable.withUnsafeMutableBytes { durable in
        UnsafeMutableRawBufferPointer(rebasing: durable[range])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: live[range]))
      }
    }
  }
}
