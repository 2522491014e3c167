import DiskAccess
import DiskSimulation
import TestSupport
import ToolSupport

/// What has befallen the files of a journal, by dice.
struct RandomDamage: CustomStringConvertible {
  enum Kind: CaseIterable { case flip, zero, truncate, remove }

  private(set) var files: [(path: String, kind: Kind, offset: Int)] = []

  var description: String {
    files.map { "\($0.kind) \($0.path.dropFirst(Journals.path.count + 1)) at \($0.offset)" }
      .joined(separator: ", ")
  }

  /// Whether a file is damaged of which the state comes that the journal begins with.
  var isOfState: Bool { files.contains { !$0.path.contains("/journal/") && !isEdits($0.path) } }
  /// Whether what says which commits were dropped is damaged.
  var isOfBeginning: Bool {
    files.contains { $0.path.hasSuffix("MANIFEST") || $0.path.hasSuffix(".xc") }
  }
  var isOfEdits: Bool { files.contains { isEdits($0.path) } }

  private func isEdits(_ path: String) -> Bool { path.hasSuffix("/edits") }

  /// Damages a journal in one place or two.
  static func strike(
    _ disk: SimulatedDisk, _ dice: inout Dice, frames: [SoundJournal.Frame]
  ) throws -> RandomDamage {
    var damage = RandomDamage()
    for _ in 0...(dice.chance(3) ? 1 : 0) { try damage.strikeOnce(disk, &dice, frames) }
    return damage
  }

  private mutating func strikeOnce(
    _ disk: SimulatedDisk, _ dice: inout Dice, _ frames: [SoundJournal.Frame]
  ) throws {
    let (path, place) = pick(disk, &dice, frames)
    guard var bytes = disk.contents(of: path), let end = bytes.lastIndex(where: { $0 != 0 }) else {
      return
    }
    var kind = Kind.flip
    if place == nil, dice.chance(2) { kind = Kind.allCases.randomElement(using: &dice) ?? .flip }
    let offset = min(place ?? dice.pick(end + 1), end)
    switch kind {
    case .flip: bytes[offset] ^= 1 << UInt8(dice.pick(8))
    case .zero:
      for index in offset..<min(bytes.count, offset + [8, 64, 512][dice.pick(3)]) {
        bytes[index] = 0
      }
    case .truncate: bytes.removeSubrange(offset...)
    case .remove:
      let parts = path.split(separator: "/")
      try disk.folder(at: parts.dropLast().joined(separator: "/")).remove(
        String(parts[parts.count - 1]))
    }
    if kind != .remove { try disk.setContents(path, bytes) }
    files.append((path, kind, offset))
  }

  /// A file, and a place in it where one is meant: three times of four a segment's, as these are most of a journal.
  private func pick(
    _ disk: SimulatedDisk, _ dice: inout Dice, _ frames: [SoundJournal.Frame]
  ) -> (String, Int?) {
    let paths = disk.paths.filter { $0.hasPrefix(Journals.path + "/") && !$0.hasSuffix("/lock") }
    let segments = paths.filter { $0.contains("/journal/") }
    switch dice.pick(8) {
    case ..<2:
      guard let frame = frames.randomElement(using: &dice) else { break }
      return (frame.path, Int.random(in: frame.range, using: &dice))
    case ..<6:
      return (
        segments.randomElement(using: &dice) ?? paths[0], dice.chance(3) ? dice.pick(128) : nil
      )
    default: break
    }
    return (paths.filter { !$0.contains("/journal/") }.randomElement(using: &dice) ?? paths[0], nil)
  }
}
