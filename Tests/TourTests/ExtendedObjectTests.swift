import Foundation
import Testing
import XJournal

/// Dynamic attributes made by hand beside those that are built in: both do the same, whatever happens to them.
@Suite struct ExtendedObjectTests {
  /// By which of the two an object's keys are read and set.
  private enum Way: CaseIterable {
    case byHand
    case builtIn

    func get(_ object: ExtendedObject, _ key: String) -> Value? {
      self == .byHand ? object.value(forExtendedKey: key) : object[key]
    }

    func set(_ object: ExtendedObject, _ key: String, _ value: Value?) {
      if self == .byHand {
        object.setValue(value, forExtendedKey: key)
      } else {
        object[key] = value
      }
    }
  }

  private func withStore(_ body: (JournaledStore) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "extended-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(try JournaledStore(at: folder, model: try ExtendedObject.model()))
  }

  @Test func `S24: keys are set, undone, redone and saved alike by hand and built in`() throws {
    for way in Way.allCases {
      try withStore { store in
        let context = ManagedObjectContext(store)
        let object = context.insert(ExtendedObject.self)
        #expect(way.get(object, "anything") == nil)
        way.set(object, "foo", 1)
        context.processPendingChanges()
        way.set(object, "foo", 2)
        way.set(object, "bar", "b")
        context.undo()
        #expect(way.get(object, "foo") == 1 && way.get(object, "bar") == nil, "\(way)")
        context.redo()
        #expect(way.get(object, "foo") == 2 && way.get(object, "bar") == "b", "\(way)")
        try context.save()
        #expect(way.get(object, "foo") == 2 && !object.hasChanges, "\(way)")
        let other = ManagedObjectContext(store)
        let found = try other.existingObject(with: object.objectID, as: ExtendedObject.self)
        #expect(way.get(found, "foo") == 2 && way.get(found, "bar") == "b", "\(way)")
        way.set(found, "bar", nil)
        try other.save()
        context.refresh(object, mergeChanges: true)
        #expect(way.get(object, "bar") == nil && way.get(object, "foo") == 2, "\(way)")
      }
    }
  }

  @Test
  func `S24: three contexts that set different keys all succeed by refreshing and saving again`()
    throws
  {
    for way in Way.allCases {
      try withStore { store in
        let first = ManagedObjectContext(store)
        let object = first.insert(ExtendedObject.self)
        way.set(object, "common", 0)
        try first.save()
        let contexts = (0..<3).map { _ in ManagedObjectContext(store) }
        let copies = try contexts.map {
          try $0.existingObject(with: object.objectID, as: ExtendedObject.self)
        }
        for (number, copy) in copies.enumerated() {
          way.set(copy, "key \(number)", .integer(number))
          way.set(copy, "common", .integer(number))
        }
        for (number, context) in contexts.enumerated() {
          var conflictCount = 0
          while true {
            do {
              try context.save()
              break
            } catch let conflicts as MergeConflicts {
              conflictCount += 1
              for each in conflicts.objects { context.refresh(each.objectID, mergeChanges: true) }
            }
          }
          #expect(conflictCount == (number == 0 ? 0 : 1), "\(way)")
        }
        first.refresh(object, mergeChanges: true)
        let values = (0..<3).map { way.get(object, "key \($0)") }
        #expect(values == [0, 1, 2] && way.get(object, "common") == 2, "\(way)")
      }
    }
  }

  @Test func `S57: a failed save loses nothing, and a refresh then begins with the store's data`()
    throws
  {
    for way in Way.allCases {
      try withStore { store in
        let (context, rival) = (ManagedObjectContext(store), ManagedObjectContext(store))
        let object = context.insert(ExtendedObject.self)
        way.set(object, "foo", 1)
        try context.save()
        let same = try rival.existingObject(with: object.objectID, as: ExtendedObject.self)
        way.set(object, "bar", 2)
        object.setValue("far too long", forKey: "name")
        #expect(throws: ValidationErrors.self) { try context.save() }
        #expect(way.get(object, "bar") == 2 && way.get(object, "foo") == 1, "\(way)")
        way.set(same, "foo", 10)
        way.set(same, "other", 11)
        try rival.save()
        context.refresh(object, mergeChanges: true)
        #expect(way.get(object, "foo") == 10 && way.get(object, "other") == 11, "\(way)")
        #expect(way.get(object, "bar") == 2, "\(way)")
        object.setValue("short", forKey: "name")
        try context.save()
        rival.refresh(same, mergeChanges: true)
        let values = ["foo", "bar", "other"].map { way.get(same, $0) }
        #expect(values == [10, 2, 11], "\(way)")
        way.set(object, "foo", 99)
        context.refresh(object, mergeChanges: false)
        #expect(way.get(object, "foo") == 10 && !object.hasChanges, "\(way)")
      }
    }
  }
}
