internal import DiskAccess
internal import JournalInspection
internal import Journaling
internal import ObjectModel
internal import ObjectStore

/// The folder of a journal that is being made where there was nothing.
///
/// As long as it is not finished it has the mark of an unfinished copy, by which everybody knows that it is no journal.
struct NewPlace {
  let path: String
  let folder: any DiskFolder
  private let parent: any DiskFolder
  private let name: String

  /// Makes the folder.
  ///
  /// - Throws: where there is something at the path already, or the folder cannot be made.
  init(_ path: String, on disk: any Disk) throws(ToolError) {
    self.path = path
    try Self.refuseExisting(path, on: disk)
    try Self.refuseWithinJournal(path, on: disk)
    let around: String
    (around, name) = Self.split(path)
    do throws(DiskError) {
      parent = try disk.folder(at: around)
      try parent.makeFolder(name)
    } catch {
      throw ToolError(.cannotCreate, error.description)
    }
    do throws(DiskError) {
      try parent.sync()
      folder = try disk.folder(at: path)
    } catch {
      throw ToolError(.cannotCreate, error.description).leaving(path)
    }
    do throws(DiskError) {
      try mark()
    } catch {
      throw gaveUp(because: ToolError(.cannotCreate, error.description))
    }
  }

  private func mark() throws(DiskError) {
    _ = try folder.file(JournalFiles.copyMark, .new)
    try folder.sync()
  }

  /// Runs what fills a place that was made. Where that fails, all of it is taken away again.
  func filling<Answer>(
    _ body: () throws(ToolError) -> Answer
  ) throws(ToolError) -> Answer {
    do throws(ToolError) {
      return try body()
    } catch {
      throw gaveUp(because: error)
    }
  }

  /// Takes away all that was put there, and the folder.
  ///
  /// - Returns: the reason, which says where something had to be left there.
  func gaveUp(because reason: ToolError) -> ToolError {
    do throws(DiskError) {
      // Without a mark it was said to be whole, and nobody knows whether durably. A disk that does not even take the mark,
      // or the names as they are then, keeps nothing from being taken away: it needs a loss of power as well to come back.
      let isMarked = ((try? folder.information(of: JournalFiles.copyMark)) ?? nil) != nil
      if !isMarked { try? mark() }
      try removeContents()
      // Whatever of it a loss of power brings back has the mark, as far as the disk takes the names.
      try? folder.sync()
      if try folder.information(of: JournalFiles.copyMark) != nil {
        try folder.remove(JournalFiles.copyMark)
      }
      try parent.removeFolder(name)
    } catch {
      return reason.leaving(path)
    }
    try? parent.sync()
    return reason
  }

  /// Opens the journal that was put there, does what is left to be done, reads all of it, and then says that it is whole.
  ///
  /// - Returns: what there is to tell of it.
  func finish(
    on disk: any Disk, _ body: (JournaledStore) throws(ToolError) -> Void = { _ in }
  ) throws(ToolError) -> NewJournal {
    try filling { () throws(ToolError) in
      let made = try JournaledStore.whileOpen(on: disk, at: path, with: .ofCopies) {
        (store) throws(ToolError) in
        try body(store)
        try store.refuseUnsound()
        return try NewJournal(store)
      }
      try unmark()
      return made
    }
  }

  /// Takes away all that was put there, but for the mark, so that something else can be made there.
  func clear() throws(ToolError) {
    do throws(DiskError) {
      try removeContents()
    } catch {
      throw ToolError(.cannotCreate, error.description)
    }
  }

  private func removeContents() throws(DiskError) {
    for name in try folder.names() where name != JournalFiles.copyMark {
      if try folder.information(of: name)?.kind == .folder {
        let inner = try folder.folder(name)
        for file in try inner.names() { try inner.remove(file) }
        try folder.removeFolder(name)
      } else {
        try folder.remove(name)
      }
    }
  }

  /// Says that what is there is whole.
  func unmark() throws(ToolError) {
    do throws(DiskError) {
      try folder.remove(JournalFiles.copyMark)
      try folder.sync()
    } catch {
      throw ToolError(.cannotCreate, error.description)
    }
  }

  /// Refuses a path within a journal, whichever and however it is called.
  private static func refuseWithinJournal(
    _ path: String, on disk: any ReadableDisk
  ) throws(ToolError) {
    let (parent, name) = split(path)
    guard ![".", "..", "/"].contains(name) else {
      throw ToolError(.cannotCreate, "“\(path)” does not say what the new journal is to be called.")
    }
    let above = split(parent)
    let isPlain = ![".", "..", "/"].contains(above.name)
    // The system knows where a folder is that is named by way of others or of links.
    for folder in [parent, parent + "/.."] + (isPlain ? [above.folder] : []) {
      do throws(DiskError) {
        let isJournal =
          try disk.folderForReading(at: folder).information(of: JournalFiles.manifest) != nil
        guard isJournal else { continue }
      } catch {
        // That there is no such folder is told when it is needed.
        continue
      }
      throw ToolError(
        .cannotCreate, "“\(path)” is within a journal; choose a place elsewhere.")
    }
  }

  /// Refuses a path at which there is anything. What is a link that leads nowhere is something, too.
  static func refuseExisting(_ path: String, on disk: any ReadableDisk) throws(ToolError) {
    var isUnfinished = false
    do throws(DiskError) {
      let there = try disk.folderForReading(at: path)
      isUnfinished = try there.information(of: JournalFiles.copyMark) != nil
    } catch {
      if error.code == .notFound {
        let (parent, name) = split(path)
        let there = try? disk.folderForReading(at: parent).information(of: name)
        if (there ?? nil) == nil { return }
      }
      guard [.notFound, .notFolder, .isLink].contains(error.code) else {
        throw ToolError(.cannotCreate, error.description)
      }
    }
    throw ToolError(
      .cannotCreate,
      isUnfinished
        ? "at “\(path)” is what is left of a copy that did not come to its end; remove it, or name another place."
        : "there is something at “\(path)” already; name a place where there is nothing.")
  }

  /// The folder that a path is in, and its last name.
  static func split(_ path: String) -> (folder: String, name: String) {
    let trimmed = trimmed(path)
    guard let slash = trimmed.lastIndex(of: "/") else { return (".", trimmed) }
    let folder = trimmed[..<slash]
    return (folder.isEmpty ? "/" : String(folder), String(trimmed[trimmed.index(after: slash)...]))
  }

  private static func trimmed(_ path: String) -> String {
    var path = Substring(path)
    while path.count > 1, path.hasSuffix("/") { path = path.dropLast() }
    return String(path)
  }
}

extension JournaledStore {
  /// Reads everything of a journal that was made, and throws where it is not as it should be.
  func refuseUnsound() throws(ToolError) {
    try refuse(try onStore { () throws(StoreError) in try verify() })
  }

  /// Throws where something was found in a journal that was made.
  func refuse(_ findings: [StoreFinding]) throws(ToolError) {
    if let newer = findings.first(where: \.isOfNewerCode) { throw ToolError(newer) }
    guard let finding = findings.first else { return }
    throw ToolError(finding).saying("what was put to “\(path)” is not sound: \(finding)")
  }
}

extension ToolError {
  /// The same, where something has been made already.
  func leaving(_ path: String) -> ToolError {
    saying("\(message) What was begun is left at “\(path)”; remove it before another attempt.")
  }
}
