/// How large a JSON document may be, so that a hostile one is refused before it takes memory or time.
package struct JSONLimits: Sendable {
  /// How many bytes it may have.
  package var byteCount = 256 << 20
  /// How many values it may have: also all those that are looked at while it is patched.
  package var valueCount = 16 << 20
  /// How deep arrays and objects may stand within each other.
  package var depth = 512
  /// How many characters a number may have.
  package var numberLength = 1024

  package init() {}
}
