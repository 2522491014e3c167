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
    guard form != .answered, let row = try row(of: object) else { return }
    if form == .one {
      if row[key]?.reference == other { set(nil, key, of: object) }
    } else {
      try gather(object, key, form)
      gathered[Holder(object: object, key: key)]?.remove(other)
    }
  }

  /// Has an object lead to another; where it can lead to one, what it led to leads back no more.
  private mutating func give(
    _ other: ObjectID, to object: ObjectID, _ end: (key: KeyNumber, form: RelationshipEnds.Form),
    _ back: (key: KeyNumber, form: RelationshipEnds.Form)
  ) throws(StoreError) {
    guard let row = try row(of: object) else { return }
    if end.form == .one {
      let former = row[end.key]?.reference
      if former == other { return }
      if let former { try take(object, from: former, back.key, back.form) }
      set(.reference(other), end.key, of: object)
    } else {
      try gather(object, end.key, end.form)
      gathered[Holder(object: object, key: end.key)]?.append(other)
    }
  }

  /// Sets what an object that is there holds.
  private mutating func set(_ value: Value?, _ key: KeyNumber, of object: ObjectID) {
    guard let place = places[object] else { return }
    parts[place].new?[key] = value
    kept.insert(object)
  }

  /// Sets what objects hold of the relationships to many that were changed, each as a whole.
  mutating func setGathered() {
    for (holder, destinations) in gathered where destinations.isChanged {
      set(destinations.value, holder.key, of: holder.object)
    }
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

  /// Whether an object is to lead to another, before any is led elsewhere.
  mutating func leads(
    _ object: ObjectID, _ end: RelationshipEnds.Back, to other: ObjectID
  ) throws(StoreError) -> Bool {
    let value = try row(of: object)?[end.key]
    guard case .array? = value else { return value.leads(to: other) }
    try gather(object, end.key, end.form)
    return gathered[Holder(object: object, key: end.key)]?.contains(other) ?? false
  }

  private mutating func gather(
    _ object: ObjectID, _ key: KeyNumber, _ form: RelationshipEnds.Form
  ) throws(StoreError) {
    let holder = Holder(object: object, key: key)
    if gathered[holder] != nil { return }
    gathered[holder] = GatheredDestinations(try row(of: object)?[key], isOrdered: form != .set)
  }

  /// Whether who commits has led an object to another, or away.
  mutating func isEdited(_ part: Part?, _ key: KeyNumber, _ other: ObjectID) -> Bool {
    guard let part else { return false }
    let (asked, base) = (part.asked?[key], part.base?[key])
    guard asked?.kind == .array || base?.kind == .array else {
      return asked.leads(to: other) != base.leads(to: other)
    }
    let holder = Holder(object: part.object, key: key)
    let known = edited[holder]
    let objects = known ?? Set(asked.destinations).symmetricDifference(base.destinations)
    if known == nil { edited[holder] = objects }
    return objects.contains(other)
  }

  mutating func isThere(_ object: ObjectID) throws(StoreError) -> Bool {
    if let place = places[object] { return parts[place].new != nil }
    if let known = presence[object] { return known }
    let isThere = try head.handle(of: object)?.isDeleted == false
    presence[object] = isThere
    return isThere
  }
}

extension Value? {
  /// Whether the value of a relationship leads to an object; over an array it goes for that.
  fileprivate func leads(to object: ObjectID) -> Bool {
    switch self {
    case .reference(let only)?: only == object
    case .set(let members)?: members.contains(.reference(object))
    case .array(let members)?: members.contains(.reference(object))
    default: false
    }
  }
}
