internal import ObjectModel
internal import ObjectStore

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
    let text = request.operand(0) ?? "head"
    if text.contains("/") { return try ObjectPrinter.show(request) }
    let store = try request.store()
    let number = try Reference(text, now: request.now).commit(in: store)
    guard number > .none else { throw .no("commit 0 is what was before the first: nothing.") }
    var printer = CommitPrinter(store, .values, request.output)
    try onStore { () throws(StoreError) in try printer.show(try store.content(of: number)) }
    return .fine
  }
}
