import DiskSimulation
import Foundation
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
    let growth = try growth(from: 75, to: 600, of: time)
    // Eight times, where each step is not read back from the last commit.
    #expect(growth < 20)
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
    let growth = try growth(from: 50, to: 400, of: time)
    // Eight times, where what was done here is not read again for each that comes.
    #expect(growth < 24)
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
    let growth = try growth(from: 1_000, to: 16_000, of: time)
    // 16 times, where what is said already is not copied for each.
    #expect(growth < 40)
  }

  @Test func `a chain of cascades whose end was changed stays whole, at the cost of its length`()
    throws
  {
    func time(_ count: Int) throws -> UInt64 {
      let stage = try PatchStage()
      let context = stage.context()
      var owner = Value.null
      for number in 0..<count {
        let book = context.insert("Book")
        book.setValue(.string("\(number)"), forKey: "guid")
        book.setValue(owner, forKey: "owner")
        owner = .reference(book.objectID)
      }
      try context.save()
      let last = try #require(
        try context.fetch(FetchRequest("Book", where: "guid == '\(count - 1)'")).first)
      let deletions = (0..<count).map { number in
        ObjectPatch(
          deleting: PatchIdentity("Book", "guid", .string("\(number)")), old: ["name": "new"])
      }
      last.setValue("kept", forKey: "name")
      let begin = threadTime()
      let report = try Patch(objects: deletions).report(applyingTo: context, policy: .keepOurs)
      let time = threadTime() - begin
      #expect(report.objects.isEmpty && report.conflicts.count == count)
      return time
    }
    let growth = try growth(from: 50, to: 400, of: time)
    // Eight times, where the end of the chain does not come to each of its owners by a plan of its own.
    #expect(growth < 24)
  }

  @Test func `deletions that take the same along cost what they are and what that is`() throws {
    func file(_ number: Int) -> PatchIdentity {
      PatchIdentity("Folder", "guid", .string("\(number)"))
    }
    let model = try ManagedObjectModel(entities: [
      EntityDescription(
        "Folder", attributes: [AttributeDescription("guid", .string, isIdentifier: true)],
        relationships: [
          RelationshipDescription("within", to: "Folder", inverse: "has", isToMany: true),
          RelationshipDescription(
            "has", to: "Folder", inverse: "within", isToMany: true, deleteRule: .cascade),
        ])
    ])
    func time(_ count: Int) throws -> UInt64 {
      let store = try JournaledStore(on: SimulatedDisk(seed: 1), at: "store", model: model)
      let context = ManagedObjectContext(store, isolation: nil)
      let folders = (0..<2 * count).map { number in
        let folder = context.insert("Folder")
        folder.setValue(.string("\(number)"), forKey: "guid")
        return folder
      }
      // Half of them are a chain, and each of the others has its first.
      for (number, folder) in folders.enumerated() where number != count - 1 {
        let next = number < count ? folders[number + 1] : folders[0]
        folder.setValue(.set([.reference(next.objectID)]), forKey: "has")
      }
      try context.save()
      let deletions = (count..<2 * count).map { ObjectPatch(deleting: file($0), old: [:]) }
      let begin = threadTime()
      let report = try Patch(objects: deletions).report(applyingTo: context)
      let time = threadTime() - begin
      #expect(report.objects.count == count && report.deletedAlong.count == count)
      return time
    }
    let growth = try growth(from: 50, to: 400, of: time)
    // Eight times, where what they share is not walked through for each.
    #expect(growth < 24)
  }

  @Test func `S81: a key of combining marks without an end is refused, and costs what it is long`()
    throws
  {
    let model = try PatchStage.model()
    func json(_ marks: Int, _ key: String = "new") -> Data {
      let name = "a" + String(repeating: "\u{301}\u{323}", count: marks / 2)
      let id = key == "id" ? #"{"\#(name)":"b"}"# : #"{"guid":"b"}"#
      let new = key == "new" ? #"{"\#(name)":1,"x":2}"# : "{}"
      return Data(
        #"{"patch":1,"objects":[{"entity":"Book","id":\#(id),"old":{},"new":\#(new)}]}"#.utf8)
    }
    #expect(try !Patch(json: json(64), model: model, allowsDynamicKeys: true).isEmpty)
    for key in ["new", "id"] {
      let error = #expect(throws: PatchError.self) {
        try Patch(json: json(50_000, key), model: model, allowsDynamicKeys: true)
      }
      #expect(error?.code == .tooLarge && error?.description.contains("combining marks") == true)
    }
    let path = "/Book/" + String(repeating: "\u{301}", count: 50_000)
    let operations = Data(#"[{"op":"remove","path":"\#(path)"}]"#.utf8)
    let error = #expect(throws: PatchError.self) {
      try Patch(jsonPatch: operations, graph: Data("{}".utf8), model: model)
    }
    #expect(error?.code == .tooLarge)
  }

  @Test(arguments: ["values", "patches"])
  func `S81: what is nested too deep to be read back is refused before it is written`(
    _ kind: String
  ) throws {
    let book = PatchIdentity("Book", "guid", "b")
    var patch = ObjectPatch(updating: book, old: ["mood": .null], new: ["mood": 1])
    var value: Value = 1
    for _ in 0..<20_000 {
      if kind == "values" {
        value = .array([value])
      } else {
        let nested = RelationshipPatch(.toOne, patches: [patch])
        patch = ObjectPatch(updating: book, relationships: ["parent": nested])
      }
    }
    if kind == "values" { patch.new?["mood"] = value }
    let error = #expect(throws: PatchError.self) { try Patch(objects: [patch]).json() }
    #expect(error?.code == .tooLarge && error?.description.contains("deeper") == true)
    // Taken apart level by level: what holds it would go down as deep.
    while case .array(let inner) = value, let next = inner.first {
      patch.new?["mood"] = nil
      value = next
    }
    while let nested = patch.relationships["parent"]?.patches.first { patch = nested }
  }

  @Test(arguments: ["additions", "changes"])
  func `a JSON Patch is read at the cost of its operations`(of kind: String) throws {
    func time(_ count: Int) throws -> UInt64 {
      let context = try PatchStage().context()
      var operations: [String] = []
      for number in 0..<count {
        if kind == "changes" {
          context.insert("Book").setValue(.string("b\(number)"), forKey: "guid")
          operations.append(
            #"{"op":"add","path":"/Book/b\#(number)/score","value":\#(number)}"#)
        } else {
          operations.append(
            #"{"op":"add","path":"/Book/b\#(number)","value":{"name":"n"}}"#)
        }
      }
      if kind == "changes" { try context.save() }
      let json = Data("[\(operations.joined(separator: ","))]".utf8)
      let begin = threadTime()
      let patch = try Patch(jsonPatch: json, against: context)
      let time = threadTime() - begin
      #expect(patch.objects.count == count)
      return time
    }
    let growth = try growth(from: 1_000, to: 8_000, of: time)
    // Eight times, where the document is not copied for each.
    #expect(growth < 24)
  }

  @Test func `rebasing over many that rename costs what they are`() throws {
    func name(_ guid: String) -> PatchIdentity { PatchIdentity("Book", "guid", .string(guid)) }
    func time(_ count: Int) throws -> UInt64 {
      let others = (0..<count).map { number in
        Patch(objects: [
          ObjectPatch(
            updating: name("a\(number)"), old: ["guid": .string("a\(number)")],
            new: ["guid": .string("b\(number)")])
        ])
      }
      let patch = Patch(objects: [ObjectPatch(updating: name("a7"), old: [:], new: ["score": 1])])
      let begin = threadTime()
      let rebased = try patch.rebased(over: others, isYielding: false)
      let time = threadTime() - begin
      #expect(rebased.objects.map(\.identity) == [name("b7")])
      return time
    }
    let growth = try growth(from: 500, to: 4_000, of: time)
    // Eight times, where the names are not copied for each.
    #expect(growth < 24)
  }

  @Test(arguments: ["rename", "delete"])
  func `settling many patches that rename or delete costs what they are`(_ kind: String) throws {
    func name(_ guid: String) -> PatchIdentity { PatchIdentity("Book", "guid", .string(guid)) }
    let store = try PatchStage().store
    func time(_ count: Int) throws -> UInt64 {
      let patches = (0..<count).map { number in
        let seen = RelationshipPatch(.toOne, added: [.init(name("seen"))])
        let other = name("a\(number)")
        let old: [String: Value] = ["guid": .string("a\(number)")]
        return Patch(objects: [
          ObjectPatch(
            updating: name("s\(number)"), old: ["score": .null], new: ["score": 1],
            relationships: ["see": seen]),
          kind == "delete"
            ? ObjectPatch(deleting: other, old: old)
            : ObjectPatch(updating: other, old: old, new: ["guid": .string("b\(number)")]),
        ])
      }
      let begin = threadTime()
      let settled = try Patch.settled(patches, in: store)
      let time = threadTime() - begin
      #expect(settled == patches)
      return time
    }
    let growth = try growth(from: 250, to: 2_000, of: time)
    // Eight times, where what was said before is not gone over for each.
    #expect(growth < 24)
  }

  @Test(arguments: [true, false])
  func `rebasing many patches that rename costs what they are and what the others are`(
    _ isKnown: Bool
  ) throws {
    func name(_ guid: String) -> PatchIdentity { PatchIdentity("Book", "guid", .string(guid)) }
    func friend(_ number: Int) -> Patch {
      let friends = RelationshipPatch(.toMany, added: [.init(name("f\(number)"))])
      return Patch(objects: [ObjectPatch(updating: name("x"), relationships: ["friends": friends])])
    }
    func time(_ count: Int) throws -> UInt64 {
      let patches = (0..<count).map { number in
        Patch(objects: [
          ObjectPatch(
            updating: name("a\(number)"), old: ["guid": .string("a\(number)")],
            new: ["guid": .string("b\(number)")])
        ])
      }
      // Each knows of what was done before it, or the last of nothing.
      var others = (0..<count).map { isKnown ? [friend($0)] : [] }
      if !isKnown { others[count - 1] = (0..<count).map(friend) }
      let begin = threadTime()
      let rebased = try Patch.rebased(patches, over: others, isYielding: true)
      let time = threadTime() - begin
      #expect(rebased == patches)
      return time
    }
    let growth = try growth(from: 250, to: 2_000, of: time)
    // Eight times, where the members are not gone over for each.
    #expect(growth < 24)
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
    let growth = try growth(from: 250, to: 2_000, of: time)
    // Eight times, where each is not told with all that are there.
    #expect(growth < 24)
  }
}
