extension FileContent {
  /// Takes in what was stored to the mapped memory since the last look.
  mutating func takeInMapping() {
    guard let region else { return }
    for sector in storedSectors(region) {
      touch(sector)
      let range = Self.range(of: sector).clamped(to: 0..<live.count)
      live.withUnsafeMutableBytes { live in
        UnsafeMutableRawBufferPointer(rebasing: live[range])
          .copyMemory(from: UnsafeRawBufferPointer(region.bytes(range)))
      }
    }
  }

  /// Shows a change of the file in its mapped memory; past the end there are zeros.
  func showInMapping(_ range: Range<Int>) {
    guard let region else { return }
    let target = region.bytes(range)
    let shown = range.clamped(to: 0..<live.count)
    let count = min(shown.count, target.count)
    live.withUnsafeBytes { live in
      target.copyMemory(from: UnsafeRawBufferPointer(rebasing: live[shown].prefix(count)))
    }
    UnsafeMutableRawBufferPointer(rebasing: target[count...])
      .initializeMemory(as: UInt8.self, repeating: 0)
  }

  private func storedSectors(_ region: MappedRegion) -> [Int] {
    let seen = min(region.byteCount, live.count)
    return live.withUnsafeBytes { live in
      Self.sectors(of: 0..<seen).filter { sector in
        let range = Self.range(of: sector).clamped(to: 0..<seen)
        return differ(
          UnsafeRawBufferPointer(rebasing: live[range]),
          UnsafeRawBufferPointer(region.bytes(range)))
      }
    }
  }

  /// Gives the file a region that shows its bytes, where it has none.
  mutating func makeRegion(_ byteCount: Int) -> MappedRegion {
    if let region { return region }
    let made = MappedRegion(byteCount)
    region = made
    showInMapping(0..<min(live.count, made.byteCount))
    return made
  }
}

/// Whether two stretches of the same length differ.
private func differ(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
  var difference: UInt64 = 0
  var index = 0
  while index + 8 <= one.count {
    difference |=
      one.loadUnaligned(fromByteOffset: index, as: UInt64.self)
      ^ other.loadUnaligned(fromByteOffset: index, as: UInt64.self)
    index += 8
  }
  while index < one.count {
    difference |= UInt64(one[index] ^ other[index])
    index += 1
  }
  return difference != 0
}
