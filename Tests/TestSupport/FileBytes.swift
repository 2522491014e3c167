// How tests read and write files of a disk as arrays of bytes.

package import DiskAccess

extension ReadableFile {
  /// As many bytes as there are, up to a number.
  package func bytes(_ count: Int, at offset: UInt64 = 0) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0xEE, count: count)
    let found = try bytes.withUnsafeMutableBytes { try read(into: $0, at: offset) }
    return Array(bytes.prefix(found))
  }
}

extension DiskFile {
  package func put(_ bytes: [UInt8], at offset: UInt64 = 0) throws {
    try bytes.withUnsafeBytes { try write($0, at: offset) }
  }

  /// - Returns: where the bytes begin.
  @discardableResult
  package func putAtEnd(_ bytes: [UInt8]) throws -> UInt64 {
    try bytes.withUnsafeBytes { try append($0) }
  }
}
