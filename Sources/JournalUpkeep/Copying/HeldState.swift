internal import DiskAccess
internal import JournalInspection
internal import Journaling
internal import ObjectStore

/// Opens journals in which the files of the state are held open that the manifest names.
enum HeldState {
  /// Opens a journal, with the files held that belong to the manifest that is read.
  static func open(
    _ path: String, on disk: any ReadableDisk
  ) throws(ToolError) -> (folder: any ReadableFolder, reader: JournalReader) {
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
      return (SuppliedFolder(reader.folder, supplying: files), reader)
    }
  }

  /// What of the state can be opened; of the rest whoever reads it tells why it cannot.
  private static func files(of reader: JournalReader) -> [String: SuppliedFolder.Supply] {
    var files: [String: SuppliedFolder.Supply] = [:]
    let name = Checkpoint.folderName
    guard let states = try? reader.folder.folderForReading(name) else { return files }
    for file in reader.manifest.attachments.map(\.fileName) {
      files["\(name)/\(file)"] = (try? states.fileForReading(file)).map { .held($0) }
    }
    return files
  }
}
