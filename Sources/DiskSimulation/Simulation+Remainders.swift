/// What is left of calls that fail half done, or move less than they should.
extension Simulation {
  /// How many bytes a read or write is to move: where it is short, not all, and at least one.
  mutating func share(of byteCount: Int, _ course: CallCourse, isFirst: Bool) -> Int {
    guard case .short = course, isFirst, byteCount > 1 else { return byteCount }
    return 1 + faultGenerator.next(below: byteCount - 1)
  }

  /// The part of some things that was done before the call failed.
  mutating func part<Thing>(_ remainder: SimulatedFault.Remainder, of things: [Thing]) -> [Thing] {
    switch remainder {
    case .nothing: return []
    case .everything: return things
    case .prefix: return Array(things.prefix(faultGenerator.next(below: things.count + 1)))
    case .someSectors: return things.filter { _ in faultGenerator.next(below: 2) == 0 }
    }
  }

  /// The stretches of a write that were done before it failed, counted from its first byte on.
  mutating func parts(
    _ remainder: SimulatedFault.Remainder, ofWriteAt position: Int, _ byteCount: Int
  ) -> [Range<Int>] {
    if remainder == .prefix { return [0..<faultGenerator.next(below: byteCount + 1)] }
    if remainder == .everything { return [0..<byteCount] }
    let range = position..<position + byteCount
    return part(remainder, of: Array(FileContent.sectors(of: range))).map { sector in
      let written = FileContent.range(of: sector).clamped(to: range)
      return written.lowerBound - position..<written.upperBound - position
    }
  }
}
