internal import DiskAccess

/// A file of a store, as its folder lists it.
package struct StoreFile: Hashable, Sendable {
  /// The folder in the store's folder; empty for the store's folder itself.
  package let folder: String
  package let name: String
  package let byteCount: UInt64
  /// The room it takes up on the disk.
  package let allocatedByteCount: UInt64

  package init(folder: String, name: String, byteCount: UInt64, allocatedByteCount: UInt64) {
    self.folder = folder
    self.name = name
    self.byteCount = byteCount
    self.allocatedByteCount = allocatedByteCount
  }
}

extension [StoreFile] {
  /// How many bytes they have together; files that are holes can say more than a number holds.
  package var byteCount: UInt64 {
    reduce(0) { sum, file in
      let (more, isTooLarge) = sum.addingReportingOverflow(file.byteCount)
      return isTooLarge ? .max : more
    }
  }
}

extension ReadableStore {
  /// The store's files as they are, folder by folder. What a writer makes or removes meanwhile may be among them or
  /// not.
  package func files() throws(StoreError) -> [StoreFile] {
    do throws(DiskError) {
      var files = try Self.files(in: folder, named: "")
      for name in try folder.names() {
        guard try folder.information(of: name)?.kind == .folder else { continue }
        files += try Self.files(in: try folder.folderForReading(name), named: name)
      }
      return files
    } catch {
      throw StoreError(.disk(error))
    }
  }

  private static func files(
    in folder: any ReadableFolder, named path: String
  ) throws(DiskError) -> [StoreFile] {
    var files: [StoreFile] = []
    for name in try folder.names() {
      guard let file = try folder.information(of: name), file.kind == .file else { continue }
      files.append(
        StoreFile(
          folder: path, name: name, byteCount: file.byteCount,
          allocatedByteCount: file.allocatedByteCount))
    }
    return files
  }
}
