/// How large a JSON document may be, so that a hostile one is refused before it takes memory or time.
package struct JSONLimits: Sendable {
  /// How many bytes it may have.
  package var byteCount = 256 << 20
  /// How many values it may have: also all those that are looked at while it is patched.
  package var valueCount = 16 << 20
  /// How many members all its objects may have together, which take more memory than elements of arrays.
  package var memberCount = 16 << 20
  /// How deep arrays and objects may stand within each other.
  package var depth = 512
  /// How many characters a number may have.
  package var numberLength = 1024

  package init() {}

  /// How large a document may be that somebody hands over in a file: what becomes of it fits into 512 MiB, and every value
  /// that is not too large to be shown fits into it.
  package static let ofFile: JSONLimits = {
    var limits = JSONLimits()
    limits.byteCount = 64 << 20
    limits.valueCount = 2_100_000
    limits.memberCount = 1_000_000
    return limits
  }()
}
