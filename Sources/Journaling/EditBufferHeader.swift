internal import ByteCoding

/// The first bytes of an edit buffer.
struct EditBufferHeader {
  let store: StoreIdentity
  let salt: UInt64
  let halfByteCount: Int

  /// What the first bytes turned out to be.
  enum Reading {
    case header(EditBufferHeader)
    case damaged
    /// Written by newer code.
    case newer(format: UInt16, requiredFeatures: UInt32)
  }

  static func read(_ bytes: UnsafeRawBufferPointer) -> Reading {
    guard bytes.count >= EditBufferLayout.headerByteCount else { return .damaged }
    let bytes = UnsafeRawBufferPointer(rebasing: bytes[..<EditBufferLayout.headerByteCount])
    var reader = ByteReader(bytes)
    do throws(ByteCodingError) {
      let name = try reader.readInteger(UInt64.self)
      let format = try reader.readInteger(UInt16.self)
      _ = try reader.readInteger(UInt16.self)
      let required = try reader.readInteger(UInt32.self)
      guard name == EditBufferLayout.name, Checksum.endsWithCheck(bytes, salt: 0) else {
        return .damaged
      }
      guard format == EditBufferLayout.currentFormat,
        required & ~EditBufferLayout.knownRequiredFeatures == 0
      else { return .newer(format: format, requiredFeatures: required) }
      let store = StoreIdentity(high: try reader.readInteger(), low: try reader.readInteger())
      let salt: UInt64 = try reader.readInteger()
      let halfByteCount = Int(try reader.readInteger(UInt32.self))
      let isPossible =
        halfByteCount >= EditBufferLayout.halfHeaderByteCount && halfByteCount % 8 == 0
      guard isPossible else { return .damaged }
      return .header(
        EditBufferHeader(store: store, salt: salt, halfByteCount: halfByteCount))
    } catch {
      return .damaged
    }
  }
}
