import DiskAccess
import DiskSimulation
import ManagedObjects
import ObjectModel
import ObjectStore
import TestSupport

/// A store in memory, with blogs, their posts, and what goes with them.
struct Stage {
  let disk: SimulatedDisk
  let store: JournaledStore

  init(
    _ model: ManagedObjectModel? = nil, seed: UInt64 = 1, options: StoreOptions = .light
  ) throws {
    disk = SimulatedDisk(seed: seed)
    store = try JournaledStore(
      on: disk, at: "store", model: try model ?? Self.model(), options: options)
  }

  /// A store that reaches its disk through another.
  init(_ model: ManagedObjectModel, through wrap: (SimulatedDisk) -> any Disk) throws {
    disk = SimulatedDisk(seed: 1)
    store = try JournaledStore(on: wrap(disk), at: "store", model: model, options: .light)
  }

  /// A context on the store.
  func context() -> ManagedObjectContext { ManagedObjectContext(store) }

  /// A context on the store that is used by an actor.
  func context(on actor: (any Actor)?) -> ManagedObjectContext {
    ManagedObjectContext(store, isolation: actor)
  }

  /// The store after the process was killed, opened again.
  func killed(_ model: ManagedObjectModel? = nil) throws -> Stage {
    Stage(disk.imageAfterProcessDeath(), try model ?? Self.model())
  }

  /// A store after the process was killed, opened again with a model of classes.
  init(killing stage: Stage, _ model: ManagedObjectModel) {
    self.init(stage.disk.imageAfterProcessDeath(), model)
  }

  /// A store that a disk has, opened again.
  init(_ disk: SimulatedDisk, _ model: ManagedObjectModel) {
    self.disk = disk
    do {
      store = try JournaledStore(on: disk, at: "store", model: model, options: .light)
    } catch {
      preconditionFailure("a store that was killed did not open: \(error)")
    }
  }

  static func model() throws -> ManagedObjectModel {
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Blog",
        attributes: [AttributeDescription("name", .string)],
        relationships: [
          RelationshipDescription("posts", to: "Post", inverse: "blog", isToMany: true),
          RelationshipDescription("editor", to: "Person", inverse: "edits"),
        ]),
      EntityDescription(
        "Post",
        attributes: [
          AttributeDescription("title", .string, isOptional: false, defaultValue: "Untitled"),
          AttributeDescription("author", .string, validation: [.maxLength(10)]),
          AttributeDescription("likes", .counter, isOptional: false),
          AttributeDescription("tags", .set, isOptional: false),
          AttributeDescription("score", .integer),
          AttributeDescription("scratch", .string, isTransient: true),
        ],
        relationships: [
          RelationshipDescription("blog", to: "Blog", inverse: "posts"),
          RelationshipDescription(
            "comments", to: "Comment", inverse: "post", isToMany: true, isOrdered: true,
            deleteRule: .cascade),
          RelationshipDescription("readers", to: "Person", inverse: "reads", isToMany: true),
        ]),
      EntityDescription(
        "Comment", attributes: [AttributeDescription("text", .string)],
        relationships: [RelationshipDescription("post", to: "Post", inverse: "comments")]),
      EntityDescription(
        "Person", attributes: [AttributeDescription("name", .string)],
        relationships: [
          RelationshipDescription("reads", to: "Post", inverse: "readers", isToMany: true),
          RelationshipDescription("edits", to: "Blog", inverse: "editor", deleteRule: .deny),
        ]),
    ])
  }

  /// The objects of an entity that the store has.
  func objectIDs(_ entity: String) -> [ObjectID] {
    var ids: [ObjectID] = []
    let head = store.head
    guard let number = head.era?.number(of: entity) else { return [] }
    do throws(StoreError) {
      try head.forEach(number) { (object, _) throws(StoreError) in
        ids.append(object)
        return true
      }
    } catch {
      preconditionFailure("the store cannot be read: \(error)")
    }
    return ids
  }
}
