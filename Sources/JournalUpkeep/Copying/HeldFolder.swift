internal import DiskAccess
internal import JournalInspection
internal import Journaling
internal import ObjectStore

/// A journal's folder in which the files of the state that its manifest names are held open: they can be read for as long
/// as it takes, though whoever writes the journal has put others in their place since.
final class HeldFolder: OverlaidFolder {
  let folder: any ReadableFolder
  /// By their paths from here.
  private let files: [String: any ReadableFile]

  private init(_ folder: any ReadableFolder, _ files: [String: any ReadableFile]) {
    (self.folder, self.files) = (folder, files)
  }

  /// Opens a journal, with the files held that belong to the manifest that is read.
  static func open(
    _ path: String, on disk: any ReadableDisk
  ) throws(ToolError) -> (folder: HeldFolder, reader: JournalReader) {
    var reader = try JournalCopy.reader(of: path, on: disk)
    var attempt = 0
    while true {
      attempt += 1
      let files = files(of: reader)
      if files.count < reader.manifest.attachments.count, attempt < 10 {
        // They may have been replaced since the manifest was read.
        let newer = try JournalCopy.reader(of: path, on: disk)
        if newer.manifest.replaces(reader.manifest) {
          reader = newer
          continue
        }
      }
      return (HeldFolder(reader.folder, files), reader)
    }
  }

  /// What of the state can be opened; of the rest whoever reads it tells why it cannot.
  private static func files(of reader: JournalReader) -> [String: any ReadableFile] {
    var files: [String: any ReadableFile] = [:]
    let name = Checkpoint.folderName
    guard let states = try? reader.folder.folderForReading(name) else { return files }
    for file in reader.manifest.attachments.map(\.fileName) {
      files["\(name)/\(file)"] = try? states.fileForReading(file)
    }
    return files
  }

  func fileForReading(_ name: String) throws(DiskError) -> any ReadableFile {
    if let file = files[name] { return HeldFile(file) }
    return try folder.fileForReading(name)
  }

  func folderForReading(_ name: String) throws(DiskError) -> any ReadableFolder {
    var inner: [String: any ReadableFile] = [:]
    for (path, file) in files where path.hasPrefix("\(name)/") {
      inner[String(path.dropFirst(name.count + 1))] = file
    }
    return HeldFolder(try folder.folderForReading(name), inner)
  }

  func information(of name: String) throws(DiskError) -> FileInformation? {
    if let file = files[name] { return try file.information() }
    return try folder.information(of: name)
  }
}

/// A file that stays open until nobody holds it any more.
private final class HeldFile: OverlaidFile {
  let file: any ReadableFile

  init(_ file: any ReadableFile) { self.file = file }

  func read(into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64) throws(DiskError) -> Int
  {
    try file.read(into: buffer, at: offset)
  }

  func close() throws(DiskError) {}
}
