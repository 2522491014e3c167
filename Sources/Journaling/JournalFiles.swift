/// The names of a store's files that belong to the journal.
package enum JournalFiles {
  package static let lock = "LOCK"
  package static let manifest = "MANIFEST"
  package static let newManifest = "MANIFEST.new"
  package static let edits = "edits"
  package static let newEdits = "edits.new"
  package static let journalFolder = "journal"
  package static let recoveredFolder = "recovered"
  package static let newSaved = "saved.new"
  /// What the name of a marker ends with, beside a file in the folder of what was recovered.
  package static let untold = ".untold"
  /// Stands in a folder as long as a copy that is made there is not whole.
  package static let copyMark = "UNFINISHED-COPY"

  private static let own: Set = [
    lock, manifest, newManifest, edits, newEdits, journalFolder, recoveredFolder, copyMark,
  ]

  /// Whether an attachment's name may stand in a store: letters, digits, dot, hyphen and underscore, not first a
  /// dot, and none of the journal's own.
  package static func isAllowed(_ name: String) -> Bool {
    guard !own.contains(name), (1...Limits.nameByteCount).contains(name.utf8.count),
      name.utf8.first != 0x2E
    else {
      return false
    }
    return name.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
      default: false
      }
    }
  }
}
