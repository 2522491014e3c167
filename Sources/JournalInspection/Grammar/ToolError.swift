package import DiskAccess
package import EventCoding
package import ObjectQuery
package import ObjectStore

/// Why a command ended before it was done: the status it ends with, and a sentence that says what to do.
package struct ToolError: Error, Hashable, Sendable {
  package let status: ExitStatus
  package let message: String
  /// The value that is more than is held at once, which who knows the journal can name.
  package private(set) var value: ValuePlace?

  package init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = message
  }

  /// What was typed cannot be understood.
  package static func usage(_ message: String) -> ToolError { ToolError(.usage, message) }

  /// What is there is no journal.
  package static func noFolder(_ path: String) -> ToolError {
    ToolError(.noJournal, "“\(path)” is no journal: a journal is a folder.")
  }

  /// There is no such thing.
  package static func no(_ message: String) -> ToolError { ToolError(.no, message) }

  /// There is nothing of a name; what may have been meant is said.
  package static func no(
    _ message: String, nearest name: String, among names: [String], otherwise advice: String = "."
  ) -> ToolError {
    let nearest = Spelling.nearest(to: name, among: names)
    return no(message + (nearest.map { "; did you mean ‘\($0)’?" } ?? advice))
  }
}

extension ToolError {
  package init(_ error: StoreError) {
    let status: ExitStatus =
      switch error.code {
      case .storeMissing, .notAStore: .noJournal
      case .commitMissing, .commitOfAnotherHistory, .objectMissing, .tagMissing, .entityMissing,
        .contextMissing,
        .objectOfAnotherStore, .contextOfAnotherStore:
        .no
      case .damaged: .damage
      case .newerFormat: .newerFormat
      case .storeExists: .cannotCreate
      case .inUse, .contextOpen, .busy: .locked
      case .disk, .networkFileSystem, .stopped, .tooLarge: .inputOutput
      case .queuedBehindFailure, .closed, .valueRefused, .modelDoesNotFit, .readOnly,
        .brokenOff:
        .ourFault
      }
    self.init(status, error.description)
    value = error.value
  }

  package init(_ error: QueryError) { self.init(.usage, error.description) }

  package init(_ error: DiskError) {
    self.init(error.meetsNoFile ? .damage : .inputOutput, error.description)
  }

  /// The same error in other words.
  package func saying(_ message: String) -> ToolError {
    var error = ToolError(status, message)
    error.value = value
    return error
  }
}

/// Runs calls to a store, whose failures end the command.
package func onStore<Answer>(
  _ body: () throws(StoreError) -> Answer
) throws(ToolError) -> Answer {
  do throws(StoreError) {
    return try body()
  } catch {
    throw ToolError(error)
  }
}
