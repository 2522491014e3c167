internal import DiskAccess
internal import JournalInspection

extension ReadableFolder {
  /// Whether what has a name is there and no file: a link, a pipe or a folder, which are not read.
  func hasOther(_ name: String) throws(ToolError) -> Bool {
    do throws(DiskError) {
      return try information(of: name).map { $0.kind != .file } ?? false
    } catch {
      throw ToolError(error)
    }
  }
}

extension ReadableFile {
  /// So many bytes from the beginning, or as many as there are.
  func wholeContent(_ byteCount: Int) throws(DiskError) -> [UInt8] {
    try content(byteCount, at: 0)
  }

  /// So many bytes from a place on, or as many as there are.
  func content(_ byteCount: Int, at offset: UInt64) throws(DiskError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: byteCount)
    let count: Result<Int, DiskError> = bytes.withUnsafeMutableBytes { buffer in
      Result { () throws(DiskError) in try read(into: buffer, at: offset) }
    }
    return Array(bytes.prefix(try count.get()))
  }
}
