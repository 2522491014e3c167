internal import ObjectStore

/// Who listens to a context as a whole.
struct ContextListeners {
  /// How many notifications or changes wait for a slow reader; of more the oldest are dropped.
  static let bufferedCount = 256

  private var lastNumber = 0
  private var onChange: [Int: (ObjectsDidChange) -> Void] = [:]
  private var onWillSave: [Int: () -> Void] = [:]
  private var onDidSave: [Int: (Commit?) -> Void] = [:]
  private var notifications: [Int: AsyncStream<ContextNotification>.Continuation] = [:]
  private var changes: [Int: AsyncStream<ContextChange>.Continuation] = [:]
  /// How many changes have been told.
  var changeCount = 0
  /// Whether somebody hears of changes.
  private(set) var hearsChanges = false
  /// Whether somebody wants to know what the values were and are.
  private(set) var hasChangeReaders = false

  var hearsObjects: Bool { !onChange.isEmpty || !notifications.isEmpty }
  var changeHandlers: [(ObjectsDidChange) -> Void] { inOrder(onChange) }
  var willSaveHandlers: [() -> Void] { inOrder(onWillSave) }
  var didSaveHandlers: [(Commit?) -> Void] { inOrder(onDidSave) }

  /// Those that are told were there when the telling began.
  private func inOrder<Handler>(_ handlers: [Int: Handler]) -> [Handler] {
    if handlers.isEmpty { return [] }
    return handlers.sorted { $0.key < $1.key }.map(\.value)
  }

  mutating func add(onChange handler: @escaping (ObjectsDidChange) -> Void) -> Int {
    onChange[next()] = handler
    noteHearing()
    return lastNumber
  }

  mutating func add(onWillSave handler: @escaping () -> Void) -> Int {
    onWillSave[next()] = handler
    return lastNumber
  }

  mutating func add(onDidSave handler: @escaping (Commit?) -> Void) -> Int {
    onDidSave[next()] = handler
    return lastNumber
  }

  mutating func remove(_ number: Int) {
    onChange[number] = nil
    onWillSave[number] = nil
    onDidSave[number] = nil
    noteHearing()
  }

  mutating func addNotifications() -> AsyncStream<ContextNotification> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ContextNotification.self, bufferingPolicy: .bufferingNewest(Self.bufferedCount))
    notifications[next()] = continuation
    noteHearing()
    return stream
  }

  mutating func addChanges() -> AsyncStream<ContextChange> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: ContextChange.self, bufferingPolicy: .bufferingNewest(Self.bufferedCount))
    changes[next()] = continuation
    noteHearing()
    return stream
  }

  mutating func yield(_ notification: ContextNotification) {
    for (number, reader) in notifications {
      if case .terminated = reader.yield(notification) { notifications[number] = nil }
    }
    noteHearing()
  }

  mutating func yield(_ change: ContextChange) {
    for (number, reader) in changes {
      if case .terminated = reader.yield(change) { changes[number] = nil }
    }
    noteHearing()
  }

  /// The context has come to its end.
  func finish() {
    for reader in notifications.values { reader.finish() }
    for reader in changes.values { reader.finish() }
  }

  private mutating func next() -> Int {
    lastNumber += 1
    return lastNumber
  }

  private mutating func noteHearing() {
    hasChangeReaders = !changes.isEmpty
    hearsChanges = hearsObjects || hasChangeReaders
  }
}
