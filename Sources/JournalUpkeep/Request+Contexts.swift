internal import DiskAccess
internal import FoundationEssentials
internal import JournalInspection
internal import ManagedObjects
internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// What commands that make commits have in common.
extension Option {
  static let author = Option("author", value: "NAME", "who the commit is by")
  static let message = Option(
    "message", letter: "m", value: "TEXT", "what it is for; otherwise the command is named")
}

extension Request {
  /// Changes the journal by a commit, and shows it.
  ///
  /// - Parameters:
  ///   - message: what is said where nothing else is asked for, when that is known.
  ///   - look: refuses what can be told to be wrong by looking.
  ///   - body: changes objects.
  func committing(
    on disk: any Disk, message: @autoclosure () -> String,
    first look: (StoreReader) throws(ToolError) -> Void,
    _ body: (ManagedObjectContext) throws -> Void
  ) throws(ToolError) {
    try changing(on: disk, first: look) { (store) throws(ToolError) in
      guard let number = try commit(to: store, message: message(), body) else {
        if output.isJSON {
          output.json(
            .document("unchanged", [("lastCommit", .count(store.lastCommit.rawValue))]))
        } else {
          output.note("nothing is different; there is no commit to make.")
        }
        return
      }
      try show(number, of: store)
    }
  }

  /// Makes a commit of what a closure changes; nil where that is nothing.
  ///
  /// - Parameter refusal: says why objects cannot be saved.
  func commit(
    to store: JournaledStore, message: @autoclosure () -> String,
    refusal: (ValidationErrors) -> ToolError = { ToolError(of: $0) },
    _ body: (ManagedObjectContext) throws -> Void
  ) throws(ToolError) -> CommitNumber? {
    let context = ManagedObjectContext(store, isolation: nil)
    do {
      context.name = "xjournal \(command.name)"
      try body(context)
      let commit = try context.save(
        author: self["author"], message: self["message"] ?? message())
      context.close()
      if let commit { output.deed = "commit \(commit.number) was made" }
      return commit?.number
    } catch {
      // Nothing of it is to be offered as a draft; who has changed nothing leaves no event.
      context.processPendingChanges()
      if context.hasChanges { context.rollback() }
      context.close()
      if case ContextError.laterChanges(let keys) = error {
        let name = Wording(store).name
        let values = keys.map { "\($0.key) of \(name($0.objectID))" }.joined(separator: ", ")
        throw .no("later commits have changed \(values); take these back first, or say --force.")
      }
      if let error = error as? ValidationErrors { throw refusal(error) }
      throw ToolError(of: error)
    }
  }

  /// Shows a commit that was made.
  func show(_ number: CommitNumber, of store: JournaledStore) throws(ToolError) {
    var printer = CommitPrinter(store, .objects, output)
    try onStore { () throws(StoreError) in try printer.show(try store.content(of: number)) }
  }
}

extension ToolError {
  /// Why a context, or a patch, cannot do what it was asked.
  init(of error: any Error) {
    switch error {
    case let error as ToolError: self = error
    case let error as StoreError:
      // What is in the journal is nothing that somebody has misread.
      let isMisread =
        error.value == nil
        && [StoreError.Code.valueRefused, .tooLarge, .modelDoesNotFit].contains(error.code)
      if isMisread { self.init(.usage, error.description) } else { self.init(error) }
    case let error as PatchError:
      let isMisread = [
        PatchError.Code.malformed, .unknownVersion, .repeatedName, .tooLarge, .wrongType,
        .unknownEntity, .unknownKey,
      ].contains(error.code)
      self.init(isMisread ? .usage : .no, error.description)
    default: self.init(.no, "\(error)")
    }
  }
}
