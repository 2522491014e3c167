import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import TestSupport
import Testing

/// What making patches and applying them costs, as ratios of times.
@Suite struct PatchCostTests {
  @Test func `steps of many commits of one object cost what the commits are`() throws {
    func time(_ count: Int) throws -> UInt64 {
      let stage = try PatchStage()
      let context = stage.context()
      let book = context.insert("Book")
      book.setValue("b", forKey: "guid")
      let long = String(repeating: "once upon a time, ", count: 40)
      for number in 0..<count {
        book.setValue(.set(number.isMultiple(of: 2) ? ["red"] : []), forKey: "tags")
        book.setValue(.counter(number), forKey: "likes")
        book.setValue(.string(long + "\(number)" + long), forKey: "name")
        try context.save()
      }
      let commits = try stage.store.commits(since: 0)
      let begin = threadTime()
      let steps = try Patch.steps(Array(commits), of: stage.store)
      let time = threadTime() - begin
      #expect(steps.count >= count - 1)
      let last = try #require(steps.last?.objects.first)
      #expect(last.old?["likes"] == .counter(count - 2))
      #expect(last.new?["likes"] == .counter(count - 1))
      return time
    }
    _ = try time(50)
    let few = try leastOfThree { try time(150) }
    let many = try leastOfThree { try time(1_200) }
    // Eight times, where each step is not read back from the last commit; then it is 40 times and more.
    #expect(many < few * 20, "\(many / max(few, 1)) times")
  }

  @Test func `what two stores did in many commits is brought at the cost of the commits`() throws {
    func time(_ count: Int) throws -> UInt64 {
      let model = try followingModel()
      let disk = SimulatedDisk(seed: 1)
      let stores = try ["ann", "ben"].map {
        Named($0, try JournaledStore(on: disk, at: $0, model: model))
      }
      for (name, store) in stores {
        let context = ManagedObjectContext(store, isolation: nil)
        let book = context.insert("Book")
        book.setValue(.string(name), forKey: "guid")
        for number in 0..<count {
          book.setValue(.set(number.isMultiple(of: 2) ? ["red"] : []), forKey: "tags")
          try context.save()
        }
      }
      let begin = threadTime()
      try bring(from: stores[0], to: stores[1], policy: .merge)
      try bring(from: stores[1], to: stores[0], policy: .merge)
      let time = threadTime() - begin
      for (_, store) in stores {
        #expect(try store.asOf(.head).count(FetchRequest("Book")) == 2)
      }
      return time
    }
    _ = try time(30)
    let few = try leastOfThree { try time(50) }
    let many = try leastOfThree { try time(400) }
    // Eight times, where what was done here is not read again for each that comes; then it is 60 times.
    #expect(many < few * 24, "\(many / max(few, 1)) times")
  }

  @Test
  func `joining what is said at the many ends with what is said at the one costs what both are`()
    throws
  {
    let model = try PatchStage.model()
    func time(_ count: Int) throws -> UInt64 {
      func name(_ guid: String) -> PatchIdentity { PatchIdentity("Book", "guid", .string(guid)) }
      var friends = RelationshipPatch(.toMany)
      var leaving: [ObjectPatch] = []
      for number in 0..<count {
        friends.added.append(.init(name("b\(number)")))
        let fans = RelationshipPatch(.toMany, removed: [.init(name("shelf"))])
        leaving.append(ObjectPatch(updating: name("b\(number)"), relationships: ["fans": fans]))
      }
      let coming = Patch(objects: [
        ObjectPatch(updating: name("shelf"), relationships: ["friends": friends])
      ])
      let begin = threadTime()
      let joined = try coming.followed(by: Patch(objects: leaving), model: model)
      let time = threadTime() - begin
      #expect(joined.isEmpty)
      return time
    }
    _ = try time(500)
    let few = try leastOfThree { try time(1_000) }
    let many = try leastOfThree { try time(16_000) }
    // 16 times, where what is said already is not copied for each; then it is 80 times and more.
    #expect(many < few * 40, "\(many / max(few, 1)) times")
  }

  @Test func `members that do not come to one owner are told at once, and cost what they are`()
    throws
  {
    func time(_ count: Int) throws -> UInt64 {
      let context = try PatchStage().context()
      func name(_ guid: String) -> PatchIdentity { PatchIdentity("Book", "guid", .string(guid)) }
      let owners = ["shelf", "one", "other"].map { guid in
        let owner = context.insert("Book")
        owner.setValue(.string(guid), forKey: "guid")
        return owner
      }
      var shelf = RelationshipPatch(.toMany)
      var objects: [ObjectPatch] = []
      for number in 0..<count {
        let here = context.insert("Book")
        here.setValue(.string("h\(number)"), forKey: "guid")
        here.setValue(.reference(owners[0].objectID), forKey: "parent")
        let book = context.insert("Book")
        book.setValue(.string("b\(number)"), forKey: "guid")
        book.setValue(.reference(owners[2].objectID), forKey: "parent")
        shelf.added.append(.init(name("b\(number)")))
        objects.append(
          ObjectPatch(
            updating: name("b\(number)"),
            relationships: [
              "parent": RelationshipPatch(
                .toOne, removed: [.init(name("one"))], added: [.init(name("shelf"))])
            ]))
      }
      objects.append(ObjectPatch(updating: name("shelf"), relationships: ["children": shelf]))
      try context.save()
      let begin = threadTime()
      let error = #expect(throws: PatchConflicts.self) {
        try Patch(objects: objects).apply(to: context, policy: .merge)
      }
      let time = threadTime() - begin
      let conflicts = error?.conflicts ?? []
      #expect(conflicts.count == count + 1)
      let told = try #require(conflicts.last)
      #expect(told.key == "children" && told.new?.set?.count == count)
      #expect(told.current?.set?.count == count)
      return time
    }
    _ = try time(100)
    let few = try leastOfThree { try time(250) }
    let many = try leastOfThree { try time(2_000) }
    // Eight times, where each is not told with all that are there; then it is 50 times and more.
    #expect(many < few * 24, "\(many / max(few, 1)) times")
  }
}
