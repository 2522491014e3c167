internal import ObjectModel
package import ObjectStore

/// `xjournal show`: a commit with old and new values, or an object.
extension Command {
  static let show = Command(
    "show", "Shows a commit with old and new values, or an object.",
    examples: [
      Example("xjournal show", "the last commit"),
      Example("xjournal show head~1 --json", "the one before it, as JSON"),
      Example("xjournal show Post/1", "an object, as ‘get’ does"),
    ],
    operands: [Operand("REF", "a commit, or an object", isOptional: true)],
    travels: true
  ) { (request) throws(ToolError) in
    let operand = request.operand(0)
    if let operand, try request.namesObject(operand) {
      return try ObjectPrinter.show(request)
    }
    guard operand == nil || !request.has("at") else {
      throw .usage(
        "a commit is the same whenever it is looked at; leave out --at, or name an object.")
    }
    let text = operand ?? request["at"] ?? "head"
    let store = try request.store()
    let number = try Reference(text, now: request.now).commit(in: store)
    guard number > .none else { throw .no("commit 0 is what was before the first: nothing.") }
    var printer = CommitPrinter(store, .values, request.output)
    try onStore { () throws(StoreError) in try printer.show(try store.content(of: number)) }
    return .fine
  }
}

extension Request {
  /// Whether a text is meant to be an object: by its slash, or where an object is identified by it and no commit is named so.
  fileprivate func namesObject(_ text: String) throws(ToolError) -> Bool {
    if text.contains("/") { return try !namesTag(text) }
    guard try Reference(text, now: now).isTag, !text.hasPrefix("tag:"),
      try store().tags[String(text.prefix { $0 != "~" })] == nil
    else { return false }
    return try ObjectReference(text).isIdentifier(in: store(), snapshot())
  }

  /// Whether a text with a slash is meant to be a tag's name: where it says so, or where there is such a tag, and no
  /// entity of which it could name an object.
  fileprivate func namesTag(_ text: String) throws(ToolError) -> Bool {
    if text.hasPrefix("tag:") { return true }
    let store = try store()
    let tag = String(text.prefix { $0 != "~" })
    return store.tags[tag] != nil && !store.hasEntity(ofReference: text)
  }
}

extension ReadableStore {
  /// Whether what stands before a slash is the name of an entity, so that the whole is read as an object.
  package func hasEntity(ofReference text: String) -> Bool {
    guard let slash = text.firstIndex(of: "/") else { return false }
    let name = String(text[..<slash])
    return head.eras.contains { $0.number(of: name) != nil }
  }
}
