internal import FoundationEssentials
internal import ObjectModel

/// Values that tell a property from what is computed of it.
enum ProbeValues {
  /// A value that most getters can go on with.
  static func plain(of type: AttributeType) -> Value? {
    switch type {
    case .string: "1"
    case .integer: 1
    case .real: 1.0
    case .url: URL(string: "https://example.com").map { .url($0) }
    case .dictionary: .dictionary([:])
    default: hard(of: type).first
    }
  }

  /// Values that are made other ones by whatever computes something of them: capitals, spaces, marks that can be written
  /// in two ways, the largest and the smallest.
  static func hard(of type: AttributeType) -> [Value] {
    switch type {
    case .boolean: [true, false]
    case .integer: integers.map { .integer($0) }
    case .counter: integers.map { .counter($0) }
    case .real:
      [1.5, -0.125, 0.0, 1e308, -1e308, .leastNonzeroMagnitude, 1e15, 0.1, 1_748_263_915.25].map {
        .real($0)
      }
    case .decimal:
      ["1.5", "-0.125", "0", "99999999999999999999999999999999.5", "1e-40", "-7e60"].compactMap {
        Decimal(string: $0).map { .decimal($0) }
      }
    case .string: texts.map { .string($0) }
    case .data:
      [Data([1, 2, 3]), Data(), Data([0]), Data((0..<600).map { UInt8($0 & 255) })].map {
        .data($0)
      }
    case .date:
      [0.123456, 0, -63_113_904_000.5, 64_092_211_200, 1_748_263_915].map {
        .date(Date(timeIntervalSinceReferenceDate: $0))
      }
    case .uuid:
      [
        "8A9B2C1D-0000-4000-8000-000000000001", "00000000-0000-0000-0000-000000000000",
        "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
      ].compactMap { UUID(uuidString: $0).map { .uuid($0) } }
    case .url:
      ["HTTPS://Example.com:443/A%20b/../c/?Q=1#F", "probe:1", "file:///tmp/A/", "a/b"].compactMap {
        URL(string: $0).map { .url($0) }
      }
    case .dictionary:
      [
        ["MiXed": 1, "": -1], [:], ["MiXed": " two "], ["a": 1.5], ["a": true],
        ["a": ["b": [1, "c"]]],
      ]
    case .set:
      [
        .set([1, -2, 300]), .set([]), .set(["MiXed", " ", ""]), .set([1.5]),
        .set(Set((0..<100).map { .integer($0) })), .set(Set((0..<100).map { .string("M \($0)") })),
      ]
    case .transformed, .reference: []
    }
  }

  private static let integers = [
    1, 0, -1, 100, 101, -100, 127, 128, 255, 32_767, 65_536, .max, .min, 1_748_263_915,
  ]

  private static let texts = [
    "MiXed Case", "", " \t both ends \n", "e\u{301}", "\u{e9}", "0", "-12.50", "A-b_c/d.e:f",
    "\u{df}\u{fb01}\u{130}", "two  \r\n lines\n\n", "<b>&amp;\"'\\%20</b>", "nil",
    String(repeating: "LoNg ", count: 500), "\u{1F1E9}\u{1F1EA}\u{200D}", "\0",
  ]
}
