import Foundation
import Testing
import XJournal

enum BadgeError: Error {
  case notPositive
}

final class Department: ManagedObject {
  @Attribute("name", .indexed, .maxLength(80)) var name: String = ""
  @Relationship("employees", inverse: "department", deleteRule: .deny) var employees: Set<Employee>
}

final class Employee: ManagedObject {
  @Attribute("name") var name: String = ""
  @Attribute("badge", .required) var badge: Int?
  @Relationship("department", inverse: "employees") var department: Department?

  override func validateValue(_ value: Value?, forKey key: String) throws {
    if key == "badge", let badge = value?.integer, badge < 1 { throw BadgeError.notPositive }
  }
}

final class Person: ManagedObject {
  override class var formerEntityName: String? { "Employee" }
  @Attribute("fullName", .renamed(from: "name")) var fullName: String = ""
  @Attribute("badge") var badge: Int?
}

/// What the page on coming from Core Data shows, and what it says of it.
@Suite struct CoreDataTests {
  private func withStore(_ body: (ManagedObjectContext, JournaledStore) throws -> Void) throws {
    try Toolchain.withFolder { folder in
      let url = folder.appending(path: "Staff.xjournal")

      let model = try ManagedObjectModel(Department.self, Employee.self)
      let store = try JournaledStore(at: url, model: model)
      let context = ManagedObjectContext(store)

      try body(context, store)
    }
  }

  @Test func `a task has a context of its own, and hands back what is Sendable`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "staff-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    let model = try ManagedObjectModel(Department.self, Employee.self)
    let store = try JournaledStore(at: folder, model: model)
    let context = ManagedObjectContext(store)
    let department = context.insert(Department.self)
    let employee = context.insert(Employee.self)
    (employee.badge, employee.department) = (1, department)
    try await context.save()

    let id = department.objectID
    let count = try await Task.detached {
      let background = ManagedObjectContext(store)
      let department = try background.existingObject(with: id, as: Department.self)
      department.name = "Research"
      try await background.save(author: "importer")
      return department.employees.count
    }.value
    context.refresh(id, mergeChanges: true)

    #expect(count == 1 && department.name == "Research")
    #expect(try store.blame(id)["name"]?.author == "importer")
  }

  @Test func `a save that does not validate tells everything, and has changed nothing`() throws {
    try withStore { context, store in
      var said: [String] = []
      func print(_ failure: ValidationFailure) { said.append("\(failure)") }
      let (employee, other) = (context.insert(Employee.self), context.insert(Employee.self))
      other.badge = -1

      do { try context.save() } catch let errors as ValidationErrors {
        for failure in errors.failures { print(failure) }
      }

      #expect(said.count == 2 && context.hasChanges && store.lastCommit == .none)
      (employee.badge, other.badge) = (1, 2)
      #expect(try context.save()?.number == 1)
    }
  }

  @Test func `adding to a department changes the employee alone, and deleting it is denied`() throws
  {
    try withStore { context, _ in
      let (department, employee) = (context.insert(Department.self), context.insert(Employee.self))
      employee.badge = 1
      try context.save()
      department.employees.insert(employee)
      #expect(employee.hasChanges && !department.hasChanges && employee.department == department)
      try context.save()
      context.delete(department)
      #expect(throws: ValidationErrors.self) { try context.save() }
    }
  }

  @Test func `any key takes a value, and a fetch finds it`() throws {
    try withStore { context, _ in
      let employee = context.insert(Employee.self)
      employee["nickname"] = "Jo"
      employee["languages"] = ["Swift", "Esperanto"]
      let found = try context.fetch(Employee.self, where: "nickname == 'Jo'")

      #expect(found == [employee] && employee["languages"]?.array?.count == 2)
    }
  }

  @Test func `a store is opened with a newer model, in which things have other names`() throws {
    try Toolchain.withFolder { folder in
      let url = folder.appending(path: "Staff.xjournal")
      let older = try JournaledStore(
        at: url, model: try ManagedObjectModel(Department.self, Employee.self))
      let context = ManagedObjectContext(older)
      let employee = context.insert(Employee.self)
      (employee.name, employee.badge) = ("Jo", 1)
      try context.save()
      context.close()
      try older.close()
      let newer = try JournaledStore(at: url, model: try ManagedObjectModel(Person.self))
      let found = try ManagedObjectContext(newer).fetch(Person.self).map(\.objectID)
      let people = ManagedObjectContext(newer)
      let person = try people.existingObject(with: employee.objectID, as: Person.self)
      #expect(found == [employee.objectID] && person.fullName == "Jo" && person.badge == 1)
      // The past stays readable under the model it had.
      let past = try newer.asOf(.commit(1))
      #expect(try past.count(FetchRequest("Employee", where: "name == 'Jo'")) == 1)
    }
  }
}
