package import DiskSimulation
internal import ManagedObjects
internal import ObjectModel
internal import ObjectStore

/// Journals in which the model changes between commits.
package enum RenamedJournal {
  private static func model(
    _ entity: String, was former: String?, _ key: String, was formerKey: String?,
    others: [EntityDescription] = []
  ) throws -> ManagedObjectModel {
    try ManagedObjectModel(
      entities: [
        EntityDescription(
          entity,
          attributes: [
            AttributeDescription(key, .string, renamingIdentifier: formerKey),
            AttributeDescription("n", .integer),
          ], renamingIdentifier: former)
      ] + others)
  }

  /// `Post.title` becomes `Article.headline` behind commit 2, and that `Story.heading` behind commit 4, where `Who` comes.
  package static func twiceRenamed() throws -> SimulatedDisk {
    let who = EntityDescription("Who", attributes: [AttributeDescription("name", .string)])
    let models = [
      try model("Post", was: nil, "title", was: nil),
      try model("Article", was: "Post", "headline", was: "title"),
      try model("Story", was: "Article", "heading", was: "headline", others: [who]),
    ]
    var number = 0
    return try journal(models) { round, context in
      func save(_ title: String?) throws {
        let (entity, key) = [("Post", "title"), ("Article", "headline"), ("Story", "heading")][
          round]
        let found = try context.fetch(FetchRequest(entity)).first
        let object = found ?? context.insert(entity)
        if let title { object[key] = .string(title) }
        number += 1
        object["n"] = .integer(number)
        if number == 5 { context.insert("Who")["name"] = "w" }
        try context.save()
      }
      let titles: [String?] = [["a", "b"], [nil, nil], ["c", nil]][round]
      for title in titles { try save(title) }
    }
  }

  /// `Zed`, to whose object another leads, goes behind commit 1, and its name is another's from commit 3 on if it is to be.
  package static func withoutZed(comesAgain: Bool = false) throws -> SimulatedDisk {
    let zed = EntityDescription("Zed", attributes: [AttributeDescription("z", .string)])
    func note(_ relationships: [RelationshipDescription] = []) -> EntityDescription {
      EntityDescription(
        "Note", attributes: [AttributeDescription("t", .string)], relationships: relationships)
    }
    var models = [
      try ManagedObjectModel(entities: [note([RelationshipDescription("zed", to: "Zed")]), zed]),
      try ManagedObjectModel(entities: [note()]),
    ]
    if comesAgain { models.append(try ManagedObjectModel(entities: [note(), zed])) }
    return try journal(models) { round, context in
      if round == 0 {
        let (note, zed) = (context.insert("Note"), context.insert("Zed"))
        (note["t"], zed["z"]) = ("note", "zed")
        note["zed"] = .reference(zed.objectID)
      } else {
        try context.fetch(FetchRequest("Note")).first?["t"] = .string("note \(round)")
        if round == 2 { context.insert("Zed")["z"] = "another" }
      }
      try context.save()
    }
  }

  /// Five `Zed`s are made by the first commit, are others by the second, and have gone with their entity before the third.
  package static func withoutZeds() throws -> SimulatedDisk {
    let zed = EntityDescription("Zed", attributes: [AttributeDescription("z", .string)])
    let note = EntityDescription("Note", attributes: [AttributeDescription("t", .string)])
    let both = try ManagedObjectModel(entities: [note, zed])
    let models = [both, both, try ManagedObjectModel(entities: [note])]
    return try journal(models) { round, context in
      switch round {
      case 0: for number in 1...5 { context.insert("Zed")["z"] = .string("\(number)") }
      case 1: for zed in try context.fetch(FetchRequest("Zed")) { zed["z"] = "another" }
      default: context.insert("Note")["t"] = "note"
      }
      try context.save()
    }
  }

  /// `Note`s lead to a `Folder` that is answered from them, until the model has neither relationship from commit 2 on.
  package static func withoutFolding() throws -> SimulatedDisk {
    func model(_ isFolding: Bool) throws -> ManagedObjectModel {
      let (one, many) = (
        RelationshipDescription("folder", to: "Folder", inverse: "notes"),
        RelationshipDescription("notes", to: "Note", inverse: "folder", isToMany: true)
      )
      return try ManagedObjectModel(entities: [
        EntityDescription(
          "Note", attributes: [AttributeDescription("t", .string)],
          relationships: isFolding ? [one] : []),
        EntityDescription(
          "Folder", attributes: [AttributeDescription("n", .string)],
          relationships: isFolding ? [many] : []),
      ])
    }
    return try journal([try model(true), try model(false)]) { round, context in
      let note = context.insert("Note")
      note["t"] = .string("note \(round)")
      if round == 0 { note["folder"] = .reference(context.insert("Folder").objectID) }
      try context.save()
    }
  }

  /// `Zed`, to whose objects another leads, is called `Zeb` from commit 2 on.
  package static func renamedDestination() throws -> SimulatedDisk {
    let models = try [("Zed", nil), ("Zeb", "Zed")].map { name, former in
      try ManagedObjectModel(entities: [
        EntityDescription("Note", relationships: [RelationshipDescription("zed", to: name)]),
        EntityDescription(
          name, attributes: [AttributeDescription("z", .string)], renamingIdentifier: former),
      ])
    }
    return try journal(models) { round, context in
      let note = try context.fetch(FetchRequest("Note")).first ?? context.insert("Note")
      note["zed"] = .reference(context.insert(round == 0 ? "Zed" : "Zeb").objectID)
      try context.save()
    }
  }

  private static func journal(
    _ models: [ManagedObjectModel], _ live: (Int, ManagedObjectContext) throws -> Void
  ) throws -> SimulatedDisk {
    var disk = SimulatedDisk(seed: 21)
    for (round, model) in models.enumerated() {
      let store = try JournaledStore(on: disk, at: Journals.path, model: model)
      let context = ManagedObjectContext(store, isolation: nil)
      try live(round, context)
      context.close()
      try store.close()
      disk = disk.imageAfterProcessDeath()
    }
    return disk
  }
}
