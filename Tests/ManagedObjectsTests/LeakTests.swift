import Foundation
import ManagedObjects
import ObjectModel
import Synchronization
import TestSupport
import Testing

/// How many there are of something.
private final class Living: Sendable {
  static let leaves = Living()
  static let witnesses = Living()
  private let counts = Mutex((now: 0, ever: 0))

  func begin() {
    counts.withLock {
      $0.now += 1
      $0.ever += 1
    }
  }

  func end() { counts.withLock { $0.now -= 1 } }
  var now: Int { counts.withLock { $0.now } }
  var ever: Int { counts.withLock { $0.ever } }
}

private final class Leaf: ManagedObject {
  @Attribute("number") var number: Int = 0
  @Attribute("text") var text: String?

  required init(_ seed: ObjectSeed) {
    super.init(seed)
    Living.leaves.begin()
  }

  deinit { Living.leaves.end() }
}

/// Is held by a closure, and by nothing else.
private final class Witness {
  init() { Living.witnesses.begin() }
  deinit { Living.witnesses.end() }
  func see() {}
}

/// Each in a process of its own, so that nothing else is counted.
@Suite struct LeakTests {
  private static func stage(leafCount: Int) throws -> Stage {
    let stage = try Stage(ManagedObjectModel(Leaf.self))
    let context = stage.context()
    for number in 0..<leafCount {
      let leaf = context.insert(Leaf.self)
      leaf.number = number
      leaf.text = "leaf \(number)"
    }
    try context.save()
    return stage
  }

  /// The memory that the process has, in bytes.
  private static func residentByteCount() throws -> Int {
    let fields = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(
      separator: " ")
    return (Int(fields[1]) ?? 0) * 4096
  }

  @Test func `objects that were fetched and dropped leave memory where it was`() async {
    await #expect(processExitsWith: .success) {
      let leafCount = 4_000
      let campaign = Campaign(count: "XJ_FETCHES", inGate: 1_000_000)
      let stage = try LeakTests.stage(leafCount: leafCount)
      let lasting = stage.context()
      let before = Living.leaves.ever
      var settled = 0
      let roundCount = campaign.count / leafCount
      for round in 0..<roundCount {
        // Now in one context, now in one that ends with its objects.
        let context = round % 2 == 0 ? lasting : stage.context()
        let found = try context.fetch(Leaf.self)
        let sum = found.reduce(0) { $0 + $1.number + ($1.text?.count ?? 0) }
        precondition(sum > leafCount && found.count == leafCount)
        precondition(Living.leaves.now >= leafCount)
        if round == roundCount / 4 { settled = try LeakTests.residentByteCount() }
      }
      let grown = try LeakTests.residentByteCount() - settled
      print("\(Living.leaves.ever - before) objects fetched, memory \(settled) grown by \(grown)")
      precondition(Living.leaves.ever - before >= roundCount * leafCount)
      precondition(Living.leaves.now == 0, "\(Living.leaves.now) objects are left")
      precondition(lasting.registeredObjects.isEmpty)
      precondition(grown < 4 << 20, "memory has grown by \(grown) bytes")
    }
  }

  private static func listen(_ context: ManagedObjectContext) -> [ObservationToken] {
    let witness = Witness()
    return [
      context.onChange { _ in witness.see() }, context.onWillSave { witness.see() },
      context.onDidSave { _ in witness.see() },
    ]
  }

  @Test func `observers end with their tokens and with their objects`() async {
    await #expect(processExitsWith: .success) {
      let stage = try LeakTests.stage(leafCount: 100)
      let context = stage.context()
      for _ in 0..<20 {
        var tokens: [ObservationToken] = []
        let found = try context.fetch(Leaf.self)
        for leaf in found {
          let witness = Witness()
          tokens.append(leaf.observe("number", [.old, .new]) { _ in witness.see() })
          tokens.append(leaf.observe("anything") { _ in witness.see() })
          leaf.number += 1
        }
        tokens += LeakTests.listen(context)
        try context.save()
        precondition(Living.witnesses.now == 101)
        for token in tokens { token.cancel() }
        precondition(Living.witnesses.now == 0, "\(Living.witnesses.now) observers are left")
      }
      // A token that outlives its object and its context holds neither.
      func outlive() throws -> [ObservationToken] {
        let other = stage.context()
        return try other.fetch(Leaf.self).map { $0.observe("number") { _ in } }
      }
      let tokens = try outlive()
      context.reset()
      precondition(Living.leaves.now == 0, "\(Living.leaves.now) objects are left")
      withExtendedLifetime(tokens) {}
    }
  }

  @Test func `contexts end with all they hold, whatever was done in them and is not saved`() async {
    await #expect(processExitsWith: .success) {
      let stage = try LeakTests.stage(leafCount: 100)
      func use(saving: Bool) throws -> () -> Bool {
        let context = stage.context()
        let child = ManagedObjectContext(parent: context)
        let leaves = try context.fetch(Leaf.self)
        let token = leaves[0].observe("text", [.new]) { [weak context] _ in
          context?.setActionName("seen")
        }
        let streams = (context.changes, context.notifications)
        leaves[0].text = "changed"
        context.processPendingChanges()
        context.delete(leaves[1])
        context.insert(Leaf.self)["mood"] = "sunny"
        try child.existingObject(with: leaves[2].objectID).setValue("child", forKey: "text")
        context.undo()
        context.redo()
        if saving { try context.save() }
        leaves[3].number += 1
        withExtendedLifetime((token, streams)) {}
        return { [weak context, weak child] in context == nil && child == nil }
      }
      for round in 0..<20 {
        let areGone = try use(saving: round % 2 == 0)
        precondition(areGone(), "a context is left after round \(round)")
        precondition(Living.leaves.now == 0, "\(Living.leaves.now) objects are left")
      }
    }
  }
}
