// What events and commits are made of, in the order in which it stands there.

// MARK: Events

extension EntryFields {
  private static let names: [UInt8: String] = [
    1: "set", 2: "setPrimitive", 3: "inserted", 4: "deleted", 5: "membersChanged", 6: "based",
    7: "renamed", 8: "stepEnded", 9: "undoSwitched", 10: "undone", 11: "redone", 12: "refreshed",
    13: "merged", 14: "rolledBack", 15: "wasReset", 16: "saved", 17: "saveFailed",
    18: "reconciled", 19: "spliced", 32: "keyNamed", 33: "modelAdopted", 34: "timePassed",
    35: "numbersReserved", 36: "contextBegan", 37: "contextEnded", 38: "draftDiscarded",
    39: "tagged", 40: "contextResumed",
  ]

  mutating func event() throws(Unknown) {
    let kind = try byte()
    guard let name = Self.names[kind] else { throw Unknown() }
    add("kind", "\(kind), \(name)")
    switch kind {
    case 32:
      try number("key")
      return try text("name")
    case 33: return try list("entities") { (fields) throws(Unknown) in try fields.entity() }
    case 34: return add("time", "\(Int64(bitPattern: try fixed(8))) ns since 1970")
    case 35: return try object("last number reserved")
    case 39:
      try text("name")
      return try optional("commit") { (fields, name) throws(Unknown) in try fields.number(name) }
    default:
      try number("context")
      try edit(kind)
    }
  }

  /// What follows the context.
  mutating func edit(_ kind: UInt8) throws(Unknown) {
    switch kind {
    case 1...6, 18, 19: try change(kind)
    case 7: try text("name")
    case 8: try optional("name") { (fields, name) throws(Unknown) in try fields.text(name) }
    case 9: try flag("on")
    case 10, 11:
      try list("restorations") { (fields) throws(Unknown) in
        _ = try fields.code("change", ["there again", "as they were", "gone again"])
        try fields.object("object")
        try fields.list("values") { (fields) throws(Unknown) in
          try fields.number("key")
          guard fields.next == 19 else { return try fields.value("value") }
          fields.add("value", "\(try fields.byte()), another middle")
          try fields.splice()
        }
      }
    case 12:
      try flag("changes are kept")
      try number("commit")
      try objects("objects")
    case 13, 16: try number("commit")
    case 17: try text("reason")
    case 36:
      try text("name")
      try number("commit")
      try optional("parent") { (fields, name) throws(Unknown) in try fields.number(name) }
    case 40:
      try text("name")
      try number("commit it stands on")
      try number("oldest commit it stood on")
      try number("first edit")
    default: break
    }
  }

  mutating func change(_ kind: UInt8) throws(Unknown) {
    try object("object")
    switch kind {
    case 1, 2:
      try number("key")
      try value("value")
    case 5:
      try number("key")
      try objects("inserted")
      try objects("removed")
    case 6: try number("commit")
    case 18: try list("keys") { (fields) throws(Unknown) in try fields.number("key") }
    case 19:
      try number("key")
      try splice()
    default: break
    }
  }

  mutating func splice() throws(Unknown) {
    try number("kept prefix")
    try number("kept suffix")
    guard next == 19 else { return try middles() }
    add("middles", "\(try byte()), several")
    let count = try varint()
    add("middles behind the first", "\(count)")
    try middles()
    for _ in 0..<count {
      try number("kept before")
      try middles()
    }
  }

  private mutating func middles() throws(Unknown) {
    try value("old middle")
    try value("new middle")
  }

  mutating func objects(_ name: String) throws(Unknown) {
    try list(name) { (fields) throws(Unknown) in try fields.object("object") }
  }

  mutating func entity() throws(Unknown) {
    try number("entity")
    try text("name")
    try optionalText("parent")
    try flags("flags", ["abstract", "allows any key"])
    try list("attributes") { (fields) throws(Unknown) in try fields.attribute() }
    try list("relationships") { (fields) throws(Unknown) in try fields.relationship() }
    try optionalText("renaming identifier")
  }

  mutating func optionalText(_ name: String) throws(Unknown) {
    try optional(name) { (fields, name) throws(Unknown) in try fields.text(name) }
  }

  mutating func attribute() throws(Unknown) {
    let types = [
      "boolean", "integer", "real", "decimal", "string", "data", "date", "UUID", "URL",
      "dictionary", "counter", "set", "reference", "transformed",
    ]
    try text("name")
    if try code("type", types) == 13 { try text("transformer") }
    try flags("flags", ["optional", "transient", "indexed", "identifier"])
    try value("default value")
    if try code("merging", ["as a whole", "by key", "custom"]) == 2 { try text("function") }
    try list("rules") { (fields) throws(Unknown) in
      let rules = ["least length", "largest length", "minimum", "maximum", "pattern"]
      switch try fields.code("rule", rules) {
      case 0, 1: try fields.signedNumber("length")
      case 2, 3: try fields.value("bound")
      default: try fields.text("pattern")
      }
    }
    try optionalText("renaming identifier")
  }

  mutating func relationship() throws(Unknown) {
    try text("name")
    try text("destination")
    try optionalText("inverse")
    try flags("flags", ["to many", "ordered", "optional", "transient"])
    for name in ["least count", "largest count"] {
      try optional(name) { (fields, name) throws(Unknown) in try fields.signedNumber(name) }
    }
    _ = try code("delete rule", ["nullify", "cascade", "deny", "no action"])
    try optionalText("renaming identifier")
  }
}

// MARK: Commits

extension EntryFields {
  mutating func commit() throws(Unknown) {
    let format = try byte()
    add("format", "\(format)")
    guard format == 1 else { throw Unknown() }
    try number("commit")
    add("time", "\(Int64(bitPattern: try fixed(8))) ns since 1970")
    try number("context")
    try optionalText("name of context")
    try number("edits before it")
    try optionalText("author")
    try optionalText("message")
    add("user info")
    try entries()
    try list("groups") { (fields) throws(Unknown) in try fields.group() }
    try list("more fields") { (fields) throws(Unknown) in
      let kind = try fields.byte()
      fields.add("kind", kind == 1 ? "1, policy" : "\(kind)")
      let content = Array(try fields.content(try fields.varint()))
      fields.add("field", FieldLayout.digits(content.prefix(32)))
    }
  }

  mutating func group() throws(Unknown) {
    let group = try varint()
    let origin = group / 4096 > 0 ? "origin \(group / 4096), " : ""
    add("group", "\(origin)entity \(group % 4096)")
    let count = try varint()
    add("count of objects", "\(count)")
    var next: UInt64 = 0
    for _ in 0..<count {
      try nested { (fields) throws(Unknown) in
        let number = next &+ (try fields.varint())
        fields.add("object", "number \(number)")
        next = number &+ 1
        try fields.changes()
      }
    }
  }

  mutating func changes() throws(Unknown) {
    let distance = try varint()
    add("distance", distance == 0 ? "0, none before" : "\(distance) commits back")
    let head = try varint()
    let kinds = ["inserted", "updated", "deleted"]
    guard head & 3 < 3 else { throw Unknown() }
    add("head", "\(kinds[Int(head & 3)]), \(head >> 2) changes")
    var next: UInt64 = 0
    for _ in 0..<head >> 2 {
      let change = try varint()
      let key = next &+ change >> 3
      next = key &+ 1
      add("key and form", "key \(key), form \(change & 7)")
      try nested { (fields) throws(Unknown) in try fields.values(ofForm: change & 7) }
    }
  }

  mutating func values(ofForm form: UInt64) throws(Unknown) {
    if [2, 3, 4].contains(form) { try value("old value") }
    if [0, 3].contains(form) { try value("new value") }
    if [1, 4].contains(form) { try signedNumber("position of the edit with the new value") }
    switch form {
    case 5: try splice()
    case 6: try signedNumber("grew by")
    case 7:
      for name in ["inserted", "removed"] {
        try list(name) { (fields) throws(Unknown) in try fields.value("member") }
      }
    default: break
    }
  }
}
