internal import DiskAccess
internal import JournalInspection
internal import Journaling
internal import ObjectStore

/// A journal's folder in which the files of the state that its manifest names are held open: they can be read for as long
/// as it takes, though whoever writes the journal has put others in their place since.
final class HeldFolder: OverlaidFolder {
  let folder: any ReadableFolder
  private let files: [String: any ReadableFile]
  /// Whether all files are held that there are to be.
  private let isWhole: Bool

  private init(_ folder: any ReadableFolder, _ manifest: Manifest) {
    self.folder = folder
    var files: [String: any ReadableFile] = [:]
    if let states = try? folder.folderForReading(Checkpoint.folderName) {
      // What cannot be opened is opened again by whoever reads it, who tells why it cannot.
      for name in manifest.attachments.map(\.fileName) {
        files[name] = try? states.fileForReading(name)
      }
    }
    self.files = files
    isWhole = files.count == manifest.attachments.count
  }

  /// Opens a journal, with the files held that belong to the manifest that is read.
  static func open(
    _ path: String, on disk: any ReadableDisk
  ) throws(ToolError) -> (folder: HeldFolder, reader: JournalReader) {
    var reader = try JournalCopy.reader(of: path, on: disk)
    var attempt = 0
    while true {
      attempt += 1
      let held = HeldFolder(reader.folder, reader.manifest)
      guard !held.isWhole, attempt < 10 else { return (held, reader) }
      // They may have been replaced between the one and the other.
      let newer = try JournalCopy.reader(of: path, on: disk)
      guard newer.manifest.replaces(reader.manifest) else { return (held, reader) }
      reader = newer
    }
  }

  func fileForReading(_ name: String) throws(DiskError) -> any ReadableFile {
    try folder.fileForReading(name)
  }

  func folderForReading(_ name: String) throws(DiskError) -> any ReadableFolder {
    let inner = try folder.folderForReading(name)
    return name == Checkpoint.folderName ? HeldStates(inner, files) : inner
  }
}

/// The folder in which the held files are.
private final class HeldStates: OverlaidFolder {
  let folder: any ReadableFolder
  private let files: [String: any ReadableFile]

  init(_ folder: any ReadableFolder, _ files: [String: any ReadableFile]) {
    (self.folder, self.files) = (folder, files)
  }

  func fileForReading(_ name: String) throws(DiskError) -> any ReadableFile {
    if let file = files[name] { return HeldFile(file) }
    return try folder.fileForReading(name)
  }

  func folderForReading(_ name: String) throws(DiskError) -> any ReadableFolder {
    try folder.folderForReading(name)
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
