package import DiskAccess
package import EventCoding
package import Journaling
package import ObjectModel
package import ObjectQuery
package import ObjectStore

/// Why a command ended before it was done: the status it ends with, and a sentence that says what to do.
package struct ToolError: Error, Hashable, Sendable {
  package let status: ExitStatus
  package let message: String
  /// The value that is more than is held at once, which who knows the journal can name.
  package private(set) var value: ValuePlace?
  /// The frame whose content it is about, where it is about one.
  package private(set) var frame: FrameNumber?
  /// What can be done where it is damage.
  package var remedy: Remedy? = .repair
  private(set) var matter = StoreError.Matter.journal

  package init(_ status: ExitStatus, _ message: String) {
    self.status = status
    self.message = ToolWords.said(message)
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
  /// There is no entity of a name.
  package static func noEntity(_ name: String, in model: ManagedObjectModel?) -> ToolError {
    .no(
      "there is no entity ‘\(name)’", nearest: name, among: model?.descriptions.map(\.name) ?? [],
      otherwise: "; xjournal schema lists those there are.")
  }

  /// There is no entity of a name at a state; where other models have it, it is told what it is called there.
  static func noEntity(
    _ name: String, at snapshot: Snapshot, of store: ReadableStore
  ) -> ToolError {
    let numbers = Set(store.head.eras.compactMap { $0.number(of: name) })
    guard !numbers.isEmpty else { return .noEntity(name, in: snapshot.era?.model) }
    let former = numbers.compactMap { snapshot.era?.name(of: $0) }.sorted()
    let words = former.map { "‘\($0)’" }.joined(separator: " or ")
    return .no(
      "there is no entity ‘\(name)’ at commit \(snapshot.number)"
        + (former.isEmpty
          ? ": the model does not have it there." : "; it is called \(words) there."))
  }

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
    (value, frame, matter) = (error.value, error.frame, error.matter)
    if matter == .manifest { remedy = .gather }
  }

  /// Something that was met in a journal.
  package init(_ finding: StoreFinding) {
    self.init(ExitStatus(of: [finding]), finding.description)
    (frame, matter) = (finding.frame, finding.matter)
  }

  package init(_ error: QueryError) { self.init(.usage, error.description) }

  package init(_ error: DiskError) {
    self.init(error.meetsNoFile ? .damage : .inputOutput, error.description)
  }

  /// What happened, without what to do.
  package var withoutAdvice: String { StoreError.withoutAdvice(message) }

  /// The same error in other words.
  package func saying(_ message: String) -> ToolError {
    var error = ToolError(status, message)
    (error.value, error.frame) = (value, frame)
    (error.remedy, error.matter) = (remedy, matter)
    return error
  }

  /// The same error, of damage that another journal is no remedy for.
  package var withoutRemedy: ToolError {
    var error = self
    error.remedy = nil
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

/// Runs calls to a journal, whose failures end the command.
package func onJournal<Answer: ~Copyable>(
  _ body: () throws(JournalError) -> Answer
) throws(ToolError) -> Answer {
  do throws(JournalError) {
    return try body()
  } catch {
    throw ToolError(StoreError(error))
  }
}

/// Runs calls to the language of filters, whose failures end the command.
func onQuery<Answer>(
  _ body: () throws(QueryError) -> Answer
) throws(ToolError) -> Answer {
  do throws(QueryError) {
    return try body()
  } catch {
    throw ToolError(error)
  }
}
