package import DiskSimulation
internal import Journaling
package import TestSupport

/// Journals of which a file has been changed, at a place and in a way that dice say.
extension Journals {
  /// Changes a file of a journal, where something is in it; says which and where.
  package static func mangle(
    _ disk: SimulatedDisk, _ dice: inout Dice
  ) throws -> String {
    let paths = disk.paths.filter { disk.contents(of: $0)?.contains { $0 != 0 } ?? false }
    let path = paths[dice.pick(paths.count)]
    var bytes = disk.contents(of: path) ?? []
    let length = (bytes.lastIndex { $0 != 0 } ?? 0) + 1
    let offset = dice.pick(length)
    switch dice.pick(5) {
    case 0: bytes[offset] ^= 1 << UInt8(dice.pick(8))
    case 1: bytes = Array(bytes.prefix(offset))
    case 2: for index in offset..<min(length, offset + 64) { bytes[index] = UInt8(dice.pick(256)) }
    case 3: for index in offset..<min(length, offset + 8) { bytes[index] = 0xFF }
    default: bytes.replaceSubrange(offset..<length, with: bytes[..<(length - offset)])
    }
    try disk.setContents(path, bytes)
    return "\(path) at \(offset)"
  }
}

extension Journals {
  /// A sound journal, but for a frame in its midst: that is of a format that is newer than ours.
  package static func newerFrame() throws -> SimulatedDisk {
    let disk = try sound()
    let path = "\(path)/journal/0000000001.xj"
    guard var bytes = disk.contents(of: path) else { throw Missing(name: path) }
    let salt = try SegmentHeader.sound(bytes).salt
    let offsets = try SegmentWalk(of: bytes).offsets
    let seal = Int(offsets[offsets.count / 2])
    // The format, and the check of the seal.
    bytes[seal + 42] += 1
    let check = bytes[seal..<seal + 44].withUnsafeBytes { Checksum.of($0, salt: salt) }
    for place in 0..<4 {
      bytes[seal + 44 + place] = UInt8(truncatingIfNeeded: check >> (8 * place))
    }
    try disk.setContents(path, bytes)
    return disk
  }

  /// Adds frames that hold nothing behind those of a segment.
  package static func addEmptyFrames(
    _ count: Int, to name: String, on disk: SimulatedDisk
  ) throws {
    let path = "\(path)/journal/\(name)"
    guard var bytes = disk.contents(of: path) else { throw Missing(name: path) }
    let salt = try SegmentHeader.sound(bytes).salt
    let place = try SegmentWalk(of: bytes).place
    bytes.removeSubrange(Int(place.offset)...)
    var (number, check) = (place.expected.rawValue, place.previousBodyCheck)
    for _ in 0..<count {
      var frame = FrameBytes(number, [], after: check)
      frame.kind = FrameKind.idleMarker.rawValue
      bytes += frame.encoded(salt: salt)
      (number, check) = (number + 1, frame.bodyCheck(salt: salt))
    }
    try disk.setContents(path, bytes)
  }
}
