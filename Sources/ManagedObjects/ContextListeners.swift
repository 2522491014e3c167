internal import ObjectStore

/// Who listens to a context as a whole.
final class ContextListeners {
  /// How many notifications or changes wait for a slow reader; of more the oldest are dropped.
  static let bufferedCount = 256

  private var lastNumber = 0
  private var isFinished = false
  private var onChange: [Int: (ObjectsDidChange) -> Void] = [:]
  private var onWillSave: [Int: () -> Void] = [:]
  private var onDidSave: [Int: (Commit?) -> Void] = [:]
  private var notifications: [Int: AsyncStream<ContextNotification>.Continuation] = [:]
  private var changes: [Int: AsyncStream<ContextChange>.Continuation] = [:]
  /// How many changes have been told.
  var changeCount = 0
  /// Whether somebody hears of changes.
  @exclusivity(unchecked) private(set) var hearsChanges = false
  /// Whether somebody wants to know what the values were and are.
  @exclusivity(unchecked) private(set) var hasChangeReaders = false

  var hearsObjects: Bool { !onChange.isEmpty || !notifications.isEmpty }
  /// Who is to be told: those that are there when the telling begins. Before each is called it is looked up, as
  /// those before it may have ended it.
  var changeNumbers: [Int] { onChange.keys.sorted() }
  var willSaveNumbers: [Int] { onWillSave.keys.sorted() }
  var didSaveNumbers: [Int] { onDidSave.keys.sorted() }

  func changeHandler(_ number: Int) -> ((ObjectsDidChange) -> Void)? { onChange[number] }
  func willSaveHandler(_ number: Int) -> (() -> Void)? { onWillSave[number] }
  func didSaveHandler(_ number: Int) -> ((Commit?) -> Void)? { onDidSave[number] }

  func add(onChange handler: @escaping (ObjectsDidChange) -> Void) -> Int {
    onChange[next()] = handler
    noteHearing()
    return lastNumber
  }

  func add(onWillSave handler: @escaping () -> Void) -> Int {
    onWillSave[next()] = handler
    return lastNumber
  }

  func add(onDidSave handler: @escaping (Commit?) -> Void) -> Int {
    onDidSave[next()] = handler
    return lastNumber
  }

  /// What was called for a token. Whoever takes it out lets go of it, which may end other tokens.
  typealias Handlers = (
    onChange: ((ObjectsDidChange) -> Void)?, onWillSave: (() -> Void)?,
    onDidSave: ((Commit?) -> Void)?
  )

  func remove(_ number: Int) -> Handlers {
    let removed = (
      onChange.removeValue(forKey: number), onWillSave.removeValue(forKey: number),
      onDidSave.removeValue(forKey: number)
    )
    noteHearing()
    return removed
  }

  func addNotifications() -> AsyncStream<ContextNotification> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ContextNotification.self, bufferingPolicy: .bufferingNewest(Self.bufferedCount))
    notifications[next()] = continuation
    if isFinished { finish() }
    noteHearing()
    return stream
  }

  func addChanges() -> AsyncStream<ContextChange> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ContextChange.self, bufferingPolicy: .bufferingNewest(Self.bufferedCount))
    changes[next()] = continuation
    if isFinished { finish() }
    noteHearing()
    return stream
  }

  func yield(_ notification: ContextNotification) {
    for (number, reader) in notifications {
      guard case .terminated = reader.yield(notification) else { continue }
      notifications[number] = nil
      noteHearing()
    }
  }

  func yield(_ change: ContextChange) {
    for (number, reader) in changes {
      guard case .terminated = reader.yield(change) else { continue }
      changes[number] = nil
      noteHearing()
    }
  }

  /// The context has come to its end, and so do sequences that are asked for later.
  func finish() {
    isFinished = true
    for reader in notifications.values { reader.finish() }
    for reader in changes.values { reader.finish() }
    (notifications, changes) = ([:], [:])
  }

  private func next() -> Int {
    lastNumber += 1
    return lastNumber
  }

  private func noteHearing() {
    hasChangeReaders = !changes.isEmpty
    hearsChanges = hearsObjects || hasChangeReaders
  }
}
