internal import FoundationEssentials
internal import ObjectModel
internal import ObjectQuery
internal import ObjectStore

/// Which commits are wanted.
struct CommitSelection {
  private let author: String?
  let object: ObjectID?
  private let names: SoughtNames
  private let pattern: Pattern?
  private var first: CommitNumber
  private var last: CommitNumber
  private var since: Date?

  init(_ request: Request, _ store: StoreReader) throws(ToolError) {
    author = request["author"]?.lowercased()
    if let entity = request["entity"], NamesOfEntity(of: entity, store) == nil {
      throw .noEntity(entity, in: store.model)
    }
    object = try request["id"].map { (text) throws(ToolError) in
      try ObjectReference(text).object(in: store, request.snapshot())
    }
    if let key = request["attr"], store.existingKey(named: key) == nil {
      throw .no("no object ever had a value of ‘\(key)’", nearest: key, among: store.keyNames)
    }
    names = SoughtNames(entity: request["entity"], key: request["attr"])
    if let text = request["grep"] {
      guard let read = Pattern.read(text) else { throw .usage(Pattern.refusal(of: text)) }
      pattern = read
    } else {
      pattern = nil
    }
    try request.refuseBackwards(in: store)
    (first, last) = (store.firstKeptCommit, try request.commitNumber())
    if let text = request["since"] {
      let reference = try Reference(text, now: request.now)
      since = reference.date
      if since == nil { first = max(first, try reference.beginning(in: store)) }
    }
    if let text = request["until"] {
      last = min(last, try Reference(text, now: request.now).commit(in: store))
    }
  }

  /// A commit, if it is wanted, whenever it was made. Where what it says of itself tells that it is not, nothing else of
  /// it is decoded.
  func content(
    of number: CommitNumber, in store: StoreReader
  ) throws(StoreError) -> CommitContent? {
    if author != nil || pattern != nil, !admits(heading: try store.heading(of: number)) {
      return nil
    }
    let content = try store.content(of: number)
    return admits(changesOf: content, store) ? content : nil
  }

  private func admits(heading: CommitContent) -> Bool {
    if let author, heading.author?.lowercased().contains(author) != true { return false }
    if let pattern, heading.message.map(pattern.isFound) != true { return false }
    return true
  }

  private func admits(changesOf content: CommitContent, _ store: StoreReader) -> Bool {
    guard !names.isEmpty || object != nil else { return true }
    return content.changes.contains { change in
      if let object, change.object != object { return false }
      return names.admits(change, of: content.number, in: store)
    }
  }

  /// Calls a closure with the commits that are wanted, in the order that is, and with others that are passed on the
  /// way and are there at no further cost.
  ///
  /// - Parameter passingOver: is told of commits that cannot be read.
  func forEach(
    in store: StoreReader, limit: Int?, reversed: Bool,
    passingOver: (CommitNumber, StoreError) -> Void,
    _ body: (_ content: CommitContent, _ isWanted: Bool) throws(StoreError) -> Bool
  ) throws(StoreError) {
    guard limit != 0, last >= first, last > .none else { return }
    guard reversed else {
      return try forEachBack(in: store, limit: limit, passingOver) { (content) throws(StoreError) in
        try body(content, true)
      }
    }
    guard limit != nil || object != nil else {
      return try forEachForward(in: store, passingOver, body)
    }
    // Of the last few the first is told first, and the commits of an object lead back, so these are found before any
    // is told.
    var found: [CommitNumber] = []
    try forEachBack(in: store, limit: limit, passingOver) { (content) throws(StoreError) in
      found.append(content.number)
      return true
    }
    for number in found.reversed() {
      guard try body(try store.content(of: number), true) else { return }
    }
  }

  /// What a closure reads of a commit; nil where it cannot be read.
  private func reading<Answer>(
    _ number: CommitNumber, _ passingOver: (CommitNumber, StoreError) -> Void,
    _ body: () throws(StoreError) -> Answer?
  ) throws(StoreError) -> Answer? {
    do throws(StoreError) {
      return try body()
    } catch {
      guard error.isFinding else { throw error }
      passingOver(number, error)
      return nil
    }
  }

  /// The commits that are wanted, the last first; no more is read than that takes.
  private func forEachBack(
    in store: StoreReader, limit: Int?, _ passingOver: (CommitNumber, StoreError) -> Void,
    _ body: (CommitContent) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var count = 0
    var isPast = false
    func take(_ number: CommitNumber) throws(StoreError) -> Bool {
      let content = try reading(number, passingOver) { () throws(StoreError) -> CommitContent? in
        if let since, try store.heading(of: number).time.date < since {
          isPast = true
          return nil
        }
        return try self.content(of: number, in: store)
      }
      guard let content else { return !isPast }
      count += 1
      return try body(content) && count != limit
    }
    guard let object else {
      var number = last
      while number >= first, number > .none, try take(number) { number = number.previous }
      return
    }
    try store.forEachCommit(changing: object) { number, error in
      if number >= first, number <= last { passingOver(number, error) }
    } _: { (number) throws(StoreError) in
      guard number >= first else { return false }
      if number > last { return true }
      return try take(number)
    }
  }

  private func forEachForward(
    in store: StoreReader, _ passingOver: (CommitNumber, StoreError) -> Void,
    _ body: (CommitContent, Bool) throws(StoreError) -> Bool
  ) throws(StoreError) {
    var number = try firstInTime(in: store)
    while number <= last {
      defer { number = number.next }
      let content = try reading(number, passingOver) { () throws(StoreError) in
        try store.content(of: number)
      }
      guard let content else { continue }
      let isLate = since.map { content.time.date >= $0 } ?? true
      let isWanted = isLate && admits(heading: content) && admits(changesOf: content, store)
      guard try body(content, isWanted) else { return }
    }
  }

  /// The first commit that is late enough, or one before it where that cannot be told.
  private func firstInTime(in store: StoreReader) throws(StoreError) -> CommitNumber {
    let first = max(first, CommitNumber.none.next)
    guard let since else { return first }
    do throws(StoreError) {
      var number = try store.commit(at: since).next
      while number > first, try store.heading(of: number.previous).time.date >= since {
        number = number.previous
      }
      return max(number, first)
    } catch {
      // Of what is kept, all is.
      guard error.code == .commitMissing || error.isFinding else { throw error }
      return first
    }
  }
}

/// What is looked for by names: what any model called so, under all its names.
private final class SoughtNames {
  private let entity: String?
  private let key: String?
  /// How many models there were when it was found out what the names stand for: who follows a journal may meet another.
  private var eraCount = 0
  private var entities: NamesOfEntity?
  private var keys: [EntityNumber: NamesOfKey] = [:]

  init(entity: String?, key: String?) { (self.entity, self.key) = (entity, key) }

  var isEmpty: Bool { entity == nil && key == nil }

  func admits(
    _ change: ObjectChange, of commit: CommitNumber, in store: ReadableStore
  ) -> Bool {
    let head = store.head
    if head.eras.count != eraCount {
      (eraCount, keys) = (head.eras.count, [:])
      entities = entity.flatMap { NamesOfEntity(of: $0, store) }
    }
    let place = head.eraCount(at: commit) - 1
    guard head.eras.indices.contains(place) else { return false }
    if entity != nil {
      let era = head.eras[place]
      guard let name = entities?.number(inEra: place).flatMap({ era.name(of: $0) }),
        era.entity(of: change.object)?.isKind(of: name) == true
      else { return false }
    }
    guard let key else { return true }
    let entity = change.object.entity
    let names = keys[entity] ?? NamesOfKey(of: key, in: entity, store)
    keys[entity] = names
    return names.keys(inEra: place).contains { change[$0] != nil }
  }
}
