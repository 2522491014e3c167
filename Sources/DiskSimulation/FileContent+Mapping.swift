internal import DiskAccess

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
        return !UnsafeRawBufferPointer(rebasing: live[range])
          .isSame(as: UnsafeRawBufferPointer(region.bytes(range)))
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
