// Tests that Foundation, Python's plistlib and plutil read what we write, and that we read what they write.

import Foundation
import ObjectModel
import PropertyListCoding
import TestSupport
import Testing

@Suite struct ForeignReadersAndWriters {
  @Test func `Foundation reads what we write, and we what it writes`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_UNIT", inGate: 2000)
    var dice = Dice(seed: campaign.seed)
    for round in 0..<campaign.count {
      let value = dice.plainValue()
      let note: Comment = "seed \(campaign.seed), round \(round)"
      let theirs = try PropertyListSerialization.propertyList(
        from: Data(PropertyListWriter.encode(value)), format: nil)
      #expect(Self.value(theirs) == value, note)
      let written = try PropertyListSerialization.data(
        fromPropertyList: Self.foundation(value), format: .binary, options: 0)
      #expect(try PropertyListReader.decode(Array(written)) == value, note)
    }
  }

  @Test func `an integer of Foundation that is larger than ours is refused`() throws {
    let bytes = try PropertyListSerialization.data(
      fromPropertyList: NSNumber(value: UInt64.max), format: .binary, options: 0)
    #expect(refusal(Array(bytes)) == PropertyListError(.integerTooLarge, at: 8))
  }

  /// A value as Foundation has it.
  private static func foundation(_ value: Value) -> Any {
    switch value {
    case .boolean(let value): NSNumber(value: value)
    case .integer(let value): NSNumber(value: value)
    case .real(let value): NSNumber(value: value)
    case .string(let value): value
    case .data(let value): value
    case .date(let value): value
    case .array(let values): values.map(foundation)
    case .dictionary(let values): values.mapValues(foundation)
    default: preconditionFailure("Foundation has no \(value.kind)")
    }
  }

  /// What Foundation has read; nil where it is of no kind of ours.
  private static func value(_ object: Any) -> Value? {
    switch object {
    case let text as String: return .string(text)
    case let data as Data: return .data(data)
    case let date as Date: return .date(date)
    case let values as [Any]: return .array(values.compactMap(value))
    case let values as [String: Any]: return .dictionary(values.compactMapValues(value))
    case let number as NSNumber:
      switch String(cString: number.objCType) {
      case "c", "B": return .boolean(number.boolValue)
      case "d", "f": return .real(number.doubleValue)
      default: return .integer(number.intValue)
      }
    default: return nil
    }
  }

  @Test func `plistlib reads what we write, and we what it writes`() throws {
    let campaign = Campaign(count: "XJ_CAMPAIGN_UNIT", inGate: 600)
    var dice = Dice(seed: campaign.seed)
    let folder = try TemporaryFolder()
    // Tagged values too: plistlib has UIDs.
    let tagged: [Value] = [
      nil, .counter(-5), .set([1, "b"]), .decimal(1.25), .uuid(UUID()),
      [nil, .url(URL(filePath: "/a"))],
      .reference(ObjectID(rawValue: .max, store: StoreTag(rawValue: 1 << 63))),
    ]
    let values =
      tagged
      + (0..<campaign.count).map { _ in
        Self.withoutNegativeZero(dice.plainValue())
      }
    for (index, value) in values.enumerated() {
      let file = URL(filePath: folder.path).appending(path: "\(index).ours")
      try Data(PropertyListWriter.encode(value)).write(to: file)
    }
    let script = """
      import plistlib, sys
      for index in range(int(sys.argv[2])):
          with open(f"{sys.argv[1]}/{index}.ours", "rb") as file:
              value = plistlib.load(file, fmt=plistlib.FMT_BINARY)
          with open(f"{sys.argv[1]}/{index}.theirs", "wb") as file:
              plistlib.dump(value, file, fmt=plistlib.FMT_BINARY)
      """
    #expect(try run("/usr/bin/env", "python3", "-c", script, folder.path, "\(values.count)") == 0)
    for (index, value) in values.enumerated() {
      let file = URL(filePath: folder.path).appending(path: "\(index).theirs")
      let bytes = try Array(Data(contentsOf: file))
      #expect(
        try PropertyListReader.decode(bytes) == value, "seed \(campaign.seed), value \(index)")
    }
  }

  @Test func `plutil finds nothing wrong with what we write`() throws {
    var dice = Dice(seed: 7)
    let folder = try TemporaryFolder()
    // Not a list of one string alone: plutil takes only containers for property lists.
    let values: [Value] =
      [[], [:], ["a": 1], [nil, .counter(-5), .set([1, "b"]), .decimal(1.25)]]
      + (0..<20).map { _ in [dice.plainValue()] }
    for (index, value) in values.enumerated() {
      let file = URL(filePath: folder.path).appending(path: "\(index).plist")
      try Data(PropertyListWriter.encode(value)).write(to: file)
    }
    // It stands beside the compiler, which may be on the path by a link only.
    let script = """
      tool=$(command -v plutil) || tool=$(dirname "$(readlink -f "$(command -v swift)")")/plutil
      exec "$tool" -lint -s "$0"/*.plist
      """
    #expect(try run("/bin/sh", "-c", script, folder.path) == 0)
    try Data("bplist00 and no more".utf8).write(
      to: URL(filePath: folder.path).appending(path: "unsound.plist"))
    #expect(try run("/bin/sh", "-c", script, folder.path) != 0, "plutil looks at the lists")
  }

  /// plistlib writes 0 and -0, which are equal to it, as the same object.
  private static func withoutNegativeZero(_ value: Value) -> Value {
    switch value {
    case .real(-0.0): .real(0)
    case .array(let values): .array(values.map(withoutNegativeZero))
    case .dictionary(let values): .dictionary(values.mapValues(withoutNegativeZero))
    default: value
    }
  }

  private func run(_ path: String, _ arguments: String...) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(filePath: path)
    process.arguments = arguments
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }
}
