internal import ObjectModel

// Reading and setting what objects are to have.
extension EndKeeping {
  // MARK: Changing

  mutating func unlink(_ each: Disagreement) throws(StoreError) {
    try take(each.other, from: each.object, each.end.key, each.end.form)
    guard let back = each.end.back else { return }
    try take(each.object, from: each.other, back.key, back.form)
  }

  mutating func link(_ each: Disagreement) throws(StoreError) {
    guard let back = each.end.storedBack else { return }
    try give(each.other, to: each.object, (each.end.key, each.end.form), (back.key, back.form))
    try give(each.object, to: each.other, (back.key, back.form), (each.end.key, each.end.form))
  }

  /// Has an object lead to another no more.
  private mutating func take(
    _ other: ObjectID, from object: ObjectID, _ key: KeyNumber, _ form: RelationshipEnds.Form
  ) throws(StoreError) {
    if form == .answered { return }
    let destinations = try row(of: object)?[key].destinations ?? []
    guard destinations.contains(other) else { return }
    set(destinations.filter { $0 != other }, key, form, of: object)
  }

  /// Has an object lead to another; where it can lead to one, what it led to leads back no more.
  private mutating func give(
    _ other: ObjectID, to object: ObjectID, _ end: (key: KeyNumber, form: RelationshipEnds.Form),
    _ back: (key: KeyNumber, form: RelationshipEnds.Form)
  ) throws(StoreError) {
    guard let row = try row(of: object) else { return }
    let destinations = row[end.key].destinations
    if destinations.contains(other) { return }
    if end.form == .one {
      for former in destinations { try take(object, from: former, back.key, back.form) }
      set([other], end.key, end.form, of: object)
    } else {
      set(destinations + [other], end.key, end.form, of: object)
    }
  }

  /// Sets the destinations of an object that is there. A relationship that leads to none has no value.
  private mutating func set(
    _ destinations: [ObjectID], _ key: KeyNumber, _ form: RelationshipEnds.Form, of object: ObjectID
  ) {
    guard let place = places[object] else { return }
    var value: Value?
    if !destinations.isEmpty {
      switch form {
      case .one: value = .reference(destinations[0])
      case .set: value = .set(Set(destinations.map { .reference($0) }))
      case .array, .answered: value = .array(destinations.map { .reference($0) })
      }
    }
    parts[place].new?[key] = value
    kept.insert(object)
  }

  // MARK: Reading

  /// What is asked for an object; nil where nothing is.
  func asked(_ object: ObjectID) -> Part? {
    places[object].flatMap { $0 < askedCount ? parts[$0] : nil }
  }

  /// What an object is to have; one at another end comes among the parts.
  mutating func row(of object: ObjectID) throws(StoreError) -> Row? {
    if let place = places[object] { return parts[place].new }
    guard object.store == head.store, let stored = try head.stored(object) else { return nil }
    places[object] = parts.count
    parts.append(
      Part(
        object: object, base: stored.row, asked: stored.row, old: stored.row,
        changed: stored.changed, new: stored.row))
    return stored.row
  }

  mutating func leads(
    _ object: ObjectID, _ key: KeyNumber, to other: ObjectID
  ) throws(StoreError) -> Bool {
    try row(of: object)?[key].destinations.contains(other) ?? false
  }

  mutating func isThere(_ object: ObjectID) throws(StoreError) -> Bool {
    if let place = places[object] { return parts[place].new != nil }
    if let known = presence[object] { return known }
    let isThere = try head.handle(of: object).map { !$0.isDeleted } ?? false
    presence[object] = isThere
    return isThere
  }
}
