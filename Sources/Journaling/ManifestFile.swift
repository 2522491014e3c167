internal import ByteCoding
internal import DiskAccess

/// The manifest in a store's folder: replaced as a whole, so that there is always the old or the new.
enum ManifestFile {
  /// What was found in a store's folder.
  enum Reading {
    case manifest(Manifest)
    case missing
    case unreadable(Finding)
  }

  static func read(in folder: any ReadableFolder) throws(JournalError) -> Reading {
    let name = JournalFiles.manifest
    guard let information = try onDisk({ () throws(DiskError) in try folder.information(of: name) })
    else { return .missing }
    guard information.byteCount <= UInt64(Limits.manifestByteCount) else {
      return .unreadable(Finding(.manifestDamaged, name))
    }
    let bytes = try onDisk { () throws(DiskError) in
      try folder.fileForReading(name).bytes(limit: Limits.manifestByteCount)
    }
    switch bytes.withUnsafeBytes({ Manifest.read($0) }) {
    case .manifest(let manifest):
      return .manifest(manifest)
    case .damaged:
      return .unreadable(Finding(.manifestDamaged, name))
    case .newer(let format, let features):
      return .unreadable(
        Finding(.manifestNewer(format: format, requiredFeatures: features), name))
    }
  }

  /// Puts a manifest in the place of the one before: written aside, synced, renamed, and the renaming
  /// synced. Where it fails before the renaming, the old one stands; one larger than a reader accepts is refused.
  static func replace(with manifest: Manifest, in folder: any DiskFolder) throws(DiskError) {
    guard manifest.byteCount <= Limits.manifestByteCount, manifest.isConsistent else {
      throw DiskError(.openFile, JournalFiles.newManifest, .fileTooLarge)
    }
    do throws(DiskError) {
      let file = try folder.file(JournalFiles.newManifest, .emptied)
      try manifest.encoded().withBytes { (bytes) throws(DiskError) in
        try file.write(bytes, at: 0)
      }
      try file.sync()
      try folder.rename(JournalFiles.newManifest, to: JournalFiles.manifest)
    } catch {
      // What is left of the attempt does no harm: the next one empties it.
      if error.leavesJournalWhole, !error.isRefusal { try? folder.remove(JournalFiles.newManifest) }
      throw error
    }
    try folder.sync()
  }
}

extension ReadableFile {
  /// Everything in the file, or as much as the limit allows.
  func bytes(limit: Int) throws(DiskError) -> [UInt8] {
    let byteCount = Int(min(try information().byteCount, UInt64(limit)))
    var failure: DiskError?
    let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      do throws(DiskError) {
        let target = UnsafeMutableRawBufferPointer(
          UnsafeMutableBufferPointer(rebasing: buffer[..<byteCount]))
        count = try read(into: target, at: 0)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes
  }
}
