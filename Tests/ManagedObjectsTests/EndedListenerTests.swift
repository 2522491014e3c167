import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// Who listens, and ends.
@Suite struct EndedListenerTests {
  private final class Holder {
    let token: ObservationToken
    init(_ token: ObservationToken) { self.token = token }
  }

  @Test func `S40, S42: a listener that held the last token of another ends with it`() throws {
    let context = try Stage().context()
    var calls = 0
    func begin() -> ObservationToken {
      let holder = Holder(context.onChange { _ in calls += 1 })
      return context.onDidSave { _ in withExtendedLifetime(holder) {} }
    }
    var token: ObservationToken? = begin()
    context.insert("Post")
    context.processPendingChanges()
    #expect(calls == 1)
    withExtendedLifetime(token) {}
    token = nil
    context.insert("Post")
    context.processPendingChanges()
    #expect(calls == 1)
  }

  @Test func `S40: observers are told in the order in which they began, whoever has ended`() throws
  {
    let context = try Stage().context()
    let post = context.insert("Post")
    var told: [Int] = []
    var tokens = (0..<40).map { number in
      post.observe("title") { _ in told.append(number) }
    }
    for number in (0..<40).reversed() where number % 3 != 0 { tokens.remove(at: number).cancel() }
    tokens.append(post.observe("title") { _ in told.append(40) })
    post.setValue("x", forKey: "title")
    #expect(told == (0..<40).filter { $0 % 3 == 0 } + [40])
    withExtendedLifetime(tokens) {}
  }

  @Test(.timeLimit(.minutes(1)))
  func `S41: what a closed context is asked to tell ends, asked before or after`() async throws {
    let context = try Stage().context()
    let before = (context.changes, context.notifications)
    context.close()
    var told = 0
    for changes in [before.0, context.changes] { for await _ in changes { told += 1 } }
    for told in [before.1, context.notifications] { for await _ in told { Issue.record() } }
    #expect(told == 0)
  }

  @Test func `S38: who observes a computed key hears once of what its setter sets`() throws {
    let context = try Stage(ManagedObjectModel(Named.self)).context()
    let person = context.insert(Named.self)
    (person.first, person.last) = ("Ann", "Lee")
    var told: [String] = []
    let token = person.observe("fullName", [.old, .new, .prior]) { change in
      let (old, new) = (change.old?.string ?? "", change.new?.string ?? "")
      told.append(change.isPrior ? "will \(old)" : "\(old) > \(new)")
    }
    person["fullName"] = "Bob Ray"
    #expect(told == ["will Ann Lee", "Ann Lee > Bob Ray"])
    context.undo()
    withExtendedLifetime(token) {}
  }
}

private final class Named: ManagedObject {
  @Attribute("first") var first: String?
  @Attribute("last") var last: String?
  override class var virtualAttributes: [VirtualAttribute] {
    [
      VirtualAttribute(
        "fullName",
        get: { (person: Named) in "\(person.first ?? "") \(person.last ?? "")" },
        set: { (person: Named, value: String) in
          let names = value.split(separator: " ").map(String.init)
          (person.first, person.last) = (names.first, names.last)
        })
    ]
  }
}
