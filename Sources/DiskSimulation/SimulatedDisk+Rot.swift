internal import DiskAccess

extension SimulatedDisk {
  /// How bytes rot.
  public enum Rot: Hashable, Sendable, CaseIterable {
    /// One bit of a sector changes.
    case flippedBit
    /// A sector is all zeros.
    case zeros
    /// A sector holds random bytes.
    case garbage
  }

  /// Lets a sector of a file rot, in what is durable and in what a read shows alike. Nobody is told, and
  /// the sector does not count as written.
  ///
  /// - Parameters:
  ///   - path: the file.
  ///   - rot: what happens to the sector.
  ///   - sector: the number of the sector; one is chosen by the seed where it is nil.
  ///   - seed: decides the sector, the bit and the garbage.
  /// - Returns: the range of bytes in the file among which some are different now; nil where there is no
  ///   such file or sector, or where the bytes came out as they were.
  @discardableResult
  public func rot(
    _ path: String, _ rot: Rot, sector: Int? = nil, seed: UInt64
  ) -> Range<Int>? {
    lock.withLock {
      guard let node = simulation.content.node(at: path, \.live) else { return nil }
      simulation.takeInMappings()
      let before = simulation.content[file: node].live
      let sectors = FileContent.sectors(of: 0..<before.count)
      var generator = SeededGenerator(seed: seed)
      guard let sector = sector ?? sectors.randomElement(using: &generator),
        sectors.contains(sector)
      else { return nil }
      let change = Self.change(rot, &generator)
      simulation.content[file: node].rot(sector, change)
      let after = simulation.content[file: node].live
      return before == after ? nil : FileContent.range(of: sector).clamped(to: 0..<after.count)
    }
  }

  /// What becomes of a byte by its position in a file.
  private static func change(
    _ rot: Rot, _ generator: inout SeededGenerator
  ) -> (_ position: Int, _ count: Int, _ byte: UInt8) -> UInt8 {
    switch rot {
    case .zeros: return { _, _, _ in 0 }
    case .garbage:
      let seed = generator.next()
      return { position, _, _ in
        var generator = SeededGenerator(seed: seed &+ UInt64(position))
        return UInt8(truncatingIfNeeded: generator.next())
      }
    case .flippedBit:
      let (place, bit) = (
        generator.next(below: FileContent.sectorByteCount), generator.next(below: 8)
      )
      return { position, count, byte in position == place % count ? byte ^ 1 << UInt8(bit) : byte }
    }
  }
}
