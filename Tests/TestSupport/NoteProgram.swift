// A program that saves one note at a time.

internal import ObjectModel
package import ObjectStore

/// A program that saves one note at a time, each of about 300 bytes, in a context of its own.
package struct NoteProgram {
  private let store: JournaledStore
  private let title: KeyNumber
  /// What the store should have.
  package private(set) var state: PlainState

  package init(_ store: JournaledStore) throws {
    self.store = store
    title = try store.key(named: "title")
    state = try store.head.plain()
  }

  package mutating func save() throws {
    let object = try store.newObject(of: EntityNumber(rawValue: 0))
    let text = "note \(object.number) " + String(repeating: "x", count: 280)
    let row = Row([title: .string(text)])
    let context = try store.beginContext(name: "program", on: store.lastCommit)
    _ = try store.commit(CommitRequest([.init(object, base: .none, nil, to: row)]), by: context)
    try store.endContext(context)
    state[object] = row
  }
}
