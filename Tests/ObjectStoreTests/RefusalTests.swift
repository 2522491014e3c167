// What a store is asked for that cannot be: refused with a word, and nothing comes of it.

import DiskSimulation
import Foundation
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct RefusalTests {
  @Test func `a URL that names no file is no store's, and that is said`() throws {
    let url = try #require(URL(string: "https://example.com/Notes.xjournal"))
    let error = #expect(throws: StoreError.self) { try JournaledStore(at: url, model: nil) }
    #expect(error?.code == .notAStore)
    #expect(
      error?.description.contains(
        "https://example.com/Notes.xjournal is no folder of this machine") == true)
  }

  @Test func `a mark is read as it was written, and not as it might have been`() throws {
    var life = try StoreLife(seed: 2)
    for _ in 1...3 { try life.save() }
    let mark = try life.store.mark(of: 2)
    let digits = try #require(mark.description.split(separator: "-").last)
    #expect(CommitMark(mark.description) == mark)
    for text in [
      "+2-\(digits)", "02-\(digits)", "2-\(digits.uppercased())X", "2-+\(digits.dropFirst())", "2",
      "2-\(digits)-\(digits)", "-\(digits)", "9223372036854775807-\(digits)", "",
    ] {
      #expect(CommitMark(text) == nil, "\(text)")
    }
    try life.endContexts()
    try life.store.close()
  }

  @Test func `commits are told apart by what they are, also in a set`() throws {
    var life = try StoreLife(seed: 4)
    for _ in 1...5 { try life.save() }
    let (once, again) = (try life.store.commits(since: 0), try life.store.commits(since: 0))
    let count = Int(life.store.lastCommit.rawValue)
    #expect(once == again && Set(once + again).count == count && once.count == count)
    #expect(once[0] != once[1])
    try life.endContexts()
    try life.store.close()
  }

  @Test func `an object of another store is asked of no snapshot`() throws {
    var life = try StoreLife(seed: 5)
    try life.save()
    let stranger = ObjectID(
      entity: EntityNumber(rawValue: 0), number: 1, store: StoreTag(rawValue: 77))
    #expect(throws: StoreError.self) { try life.store.head.row(of: stranger) }
    #expect(throws: StoreError.self) { try life.store.head.handle(of: stranger) }
    #expect(throws: StoreError.self) { try life.store.history(of: stranger) }
    #expect(!life.store.couldTakeOver(stranger))
    try life.endContexts()
    try life.store.close()
  }
}
