internal import JournalInspection
internal import Journaling
internal import ObjectModel
internal import ObjectStore

// What is brought in of frames that are read each by itself.
extension Salvaging {
  /// Takes what a frame says, where it comes after what has been come to.
  mutating func take(_ entries: [SalvagedEntry]) throws(ToolError) {
    for entry in entries {
      switch entry {
      case .commit(let content): try take(content)
      case .event(.keyNamed(let number, let name)): keyNames[number] = name
      case .event(.tagged(let name, let commit)): tags.updateValue(commit, forKey: name)
      case .event(.modelAdopted(let entities)) where adoptsModels: nextModels.append(entities)
      case .event: break
      }
    }
  }

  /// Notes that something of a frame cannot be told.
  mutating func lose(_ frame: FrameNumber, _ error: StoreError) {
    losses.append("frame \(frame.rawValue), of which not all can be told: \(error.whatHappened)")
  }

  /// Notes which commits are lost at the end, where it is known that there were some.
  mutating func expect(through number: CommitNumber) {
    if number > last { lose(from: last.next, through: number) }
  }

  private mutating func lose(from first: CommitNumber, through end: CommitNumber) {
    losses.append(Self.range(first, end))
    lost.append(first...end)
  }

  mutating func take(_ content: CommitContent) throws(ToolError) {
    if let later, content.number >= later.first { try takeOverLater(before: content) }
    guard content.number > last else {
      // What was adopted before it has been come to as well.
      nextModels = []
      return
    }
    try adoptKeptModels(before: content.number)
    try adoptNextModels()
    if content.number > last.next {
      lose(from: last.next, through: content.number.previous)
    }
    last = content.number
    clock.set(content.time)
    try adoptStandIns(for: content)
    let name = Wording(store).name
    for change in content.changes {
      guard store.head.era?.name(of: change.object.entity) != nil else {
        losses.append(
          "commit \(content.number): \(change.object.uri), of an entity that is not known any more")
        continue
      }
      let current = try onStore { () throws(StoreError) in try store.head.row(of: change.object) }
      if change.kind == .updated, current == nil {
        losses.append(
          "commit \(content.number): what \(name(change.object)) had before it; there is only what it changed"
        )
      }
      let (row, unfit) = try change.salvaged(onto: current) { (key) throws(ToolError) in
        try number(of: key)
      }
      func words(_ key: KeyNumber) -> String {
        "\(keyNames[key] ?? "key \(key.rawValue)") of \(name(change.object))"
      }
      losses += unfit.map { "commit \(content.number): \(words($0))" }
      if current != nil, lost.contains(where: { $0.contains(change.previous) }) {
        losses += change.differingKeys.filter { !unfit.contains($0) }.map {
          "what commit \(change.previous) may have done to \(words($0)), "
            + "which commit \(content.number) only tells the difference to"
        }
      }
      try addChange(of: change.object, to: row)
    }
    try commit(
      content.number, author: content.author, message: content.message,
      userInfo: content.userInfo, contextName: content.contextName)
  }

  /// Has the new journal go on under its model and what stands for entities that only a lost model names.
  private mutating func adoptStandIns(for content: CommitContent) throws(ToolError) {
    guard let era = store.head.era else { return }
    let unknown = Set(content.changes.filter { $0.kind != .deleted }.map(\.object.entity))
      .filter { era.name(of: $0) == nil }
    if unknown.isEmpty { return }
    let names = Set(era.entities.map(\.description.name))
    let standIns = unknown.sorted { $0.rawValue < $1.rawValue }.map { number in
      var name = "entity\(number.rawValue)"
      while names.contains(name) { name += "_" }
      losses.append("the name of entity \(number.rawValue), whose objects are those of ‘\(name)’")
      return NumberedEntity(number, EntityDescription(name, allowsAnyKey: true))
    }
    try open(under: era.entities + standIns)
  }

  /// The number that a key of the original has here. Where its name is lost, it is called by the number it had.
  mutating func number(of key: KeyNumber) throws(ToolError) -> KeyNumber {
    let name = keyNames[key] ?? standIn(for: key)
    return try onStore { () throws(StoreError) in try store.key(named: name) }
  }

  private mutating func standIn(for key: KeyNumber) -> String {
    var name = "key\(key.rawValue)"
    while keyNames.values.contains(name) { name += "_" }
    keyNames[key] = name
    losses.append("the name of key \(key.rawValue), whose values are those of ‘\(name)’")
    return name
  }
}
