import ManagedObjects
import ObjectModel
import ObjectStore
import Testing

/// Delete rules follow what is in the store when a deletion is saved, whatever its context has seen.
@Suite struct DeleteRuleTests {
  private func reference(_ object: ManagedObject) -> Value { .reference(object.objectID) }

  private func staff(_ rule: DeleteRule) throws -> Stage {
    try Stage(
      try ManagedObjectModel(entities: [
        EntityDescription(
          "Department",
          relationships: [
            RelationshipDescription(
              "employees", to: "Employee", inverse: "department", isToMany: true,
              deleteRule: rule)
          ]),
        EntityDescription(
          "Employee", attributes: [AttributeDescription("name", .string)],
          relationships: [
            RelationshipDescription("department", to: "Department", inverse: "employees")
          ]),
      ]))
  }

  /// Has a context delete a department to which another adds somebody, and gives who was added.
  private func delete(_ stage: Stage, isRead: Bool) throws -> (ManagedObjectContext, ManagedObject)
  {
    let (ui, other) = (stage.context(), stage.context())
    let department = ui.insert("Department")
    try ui.save()
    if isRead { #expect(department.value(forKey: "employees") == .set([])) }
    if !isRead { ui.delete(department) }
    let employee = other.insert("Employee")
    employee.setValue(reference(department), forKey: "department")
    try other.save()
    if isRead { ui.delete(department) }
    ui.processPendingChanges()
    return (ui, employee)
  }

  @Test(arguments: [true, false])
  func `S44: a deletion is denied by a member that another context has added`(isRead: Bool) throws {
    let stage = try staff(.deny)
    let (ui, employee) = try delete(stage, isRead: isRead)
    let errors = #expect(throws: ValidationErrors.self) { try ui.save() }
    #expect(errors?.failures.map(\.kind) == [.denied([employee.objectID])])
    #expect(try stage.brokenEnds() == [])
    ui.rollback()
    #expect(try stage.destinations(employee, "department").count == 1)
  }

  @Test(arguments: [true, false])
  func `S44: a cascade takes a member that another context has added`(isRead: Bool) throws {
    let stage = try staff(.cascade)
    let (ui, employee) = try delete(stage, isRead: isRead)
    try ui.save()
    #expect(stage.objectIDs("Employee") == [] && stage.objectIDs("Department") == [])
    #expect(try ui.existingObjectIsMissing(employee.objectID))
    #expect(try stage.store.verify(deep: true) == [])
  }

  @Test(arguments: [true, false])
  func `S44: a member that another context has added leads nowhere then`(isRead: Bool) throws {
    let stage = try staff(.nullify)
    let (ui, employee) = try delete(stage, isRead: isRead)
    // It was read here before it led anywhere, too.
    try ui.save()
    #expect(try stage.destinations(employee, "department") == [])
    #expect(try stage.brokenEnds() == [] && stage.store.verify(deep: true) == [])
    // What the rule did is a step of its own, or of the deletion's.
    ui.undo()
    try ui.save()
    #expect(try stage.brokenEnds() == [])
  }

  @Test func `S44: what a save deletes besides is a step of its own, after that of the deletion`()
    throws
  {
    let stage = try staff(.cascade)
    let (ui, employee) = try delete(stage, isRead: false)
    try ui.save()
    ui.undo()
    try ui.save()
    #expect(stage.objectIDs("Employee") == [employee.objectID])
    #expect(stage.objectIDs("Department") == [])
    #expect(try stage.destinations(employee, "department") == [] && stage.brokenEnds() == [])
    ui.undo()
    try ui.save()
    #expect(stage.objectIDs("Department").count == 1)
    #expect(try stage.brokenEnds() == [] && stage.store.verify(deep: true) == [])
  }

  @Test func `S44: no action leaves what leads to it`() throws {
    let stage = try staff(.noAction)
    let (ui, _) = try delete(stage, isRead: true)
    try ui.save()
    #expect(try stage.brokenEnds().count == 1)
  }

  @Test(arguments: [MergePolicy.error, .mergeByPropertyObjectTrump, .overwrite])
  func `S44: a cascade takes what a rival has had lead to it since`(policy: MergePolicy) throws {
    let stage = try Stage()
    let (a, b) = (stage.context(), stage.context())
    let (post, comment, ann) = (a.insert("Post"), a.insert("Comment"), a.insert("Person"))
    try a.save()
    a.mergePolicy = policy
    a.delete(post)
    a.processPendingChanges()
    b.object(with: comment.objectID).setValue(reference(post), forKey: "post")
    b.object(with: ann.objectID).setValue(.set([reference(post)]), forKey: "reads")
    try b.save()
    try a.save(retrying: 1)
    #expect(stage.objectIDs("Post") == [] && stage.objectIDs("Comment") == [])
    #expect(ann.value(forKey: "reads") == .set([]) && comment.isDeleted)
    #expect(try stage.brokenEnds() == [] && stage.store.verify(deep: true) == [])
  }

  @Test(arguments: [MergePolicy.error, .mergeByPropertyObjectTrump])
  func `S44: a deletion is denied by what a rival has had lead to it since`(policy: MergePolicy)
    throws
  {
    let stage = try Stage()
    let (a, b) = (stage.context(), stage.context())
    let (blog, person) = (a.insert("Blog"), a.insert("Person"))
    try a.save()
    a.mergePolicy = policy
    a.delete(person)
    b.object(with: blog.objectID).setValue(reference(person), forKey: "editor")
    try b.save()
    blog.setValue("mine", forKey: "name")
    if policy.tells { a.refresh(blog, mergeChanges: true) }
    #expect(throws: ValidationErrors.self) { try a.save(retrying: 1) }
    #expect(stage.objectIDs("Person") == [person.objectID])
    #expect(try stage.brokenEnds() == [])
  }

  @Test func `S63: where a rival's change keeps an object, what it gained stays, too`() throws {
    let stage = try Stage()
    let (a, b) = (stage.context(), stage.context())
    let (post, comments) = (a.insert("Post"), [a.insert("Comment"), a.insert("Comment")])
    comments[0].setValue(reference(post), forKey: "post")
    try a.save()
    a.delete(post)
    b.object(with: comments[1].objectID).setValue(reference(post), forKey: "post")
    try b.save()
    a.mergePolicy = .mergeByPropertyStoreTrump
    try a.save()
    #expect(try stage.destinations(post, "comments") == [comments[1].objectID])
    #expect(post.value(forKey: "comments") == .array([reference(comments[1])]))
    #expect(try stage.brokenEnds() == [] && stage.store.verify(deep: true) == [])
  }

  @Test func `S44: what led to an object when it was deleted before does not go with it now`()
    throws
  {
    let stage = try Stage()
    let (a, b) = (stage.context(), stage.context())
    let (posts, comment) = ([a.insert("Post"), a.insert("Post")], a.insert("Comment"))
    let (blog, person) = (a.insert("Blog"), a.insert("Person"))
    try a.save()
    b.object(with: comment.objectID).setValue(reference(posts[0]), forKey: "post")
    b.object(with: blog.objectID).setValue(reference(person), forKey: "editor")
    try b.save()
    a.mergePolicy = .mergeByPropertyObjectTrump
    a.delete(posts[0])
    a.delete(person)
    // It finds the comment, which goes, too, and is denied by the blog.
    #expect(throws: ValidationErrors.self) { try a.save() }
    #expect(comment.isDeleted)
    while posts[0].isDeleted { a.undo() }
    #expect(!comment.isDeleted)
    b.object(with: comment.objectID).setValue(reference(posts[1]), forKey: "post")
    try b.save()
    comment.setValue("mine", forKey: "text")
    a.refresh(comment, mergeChanges: true)
    a.delete(posts[0])
    try a.save(retrying: 1)
    #expect(!comment.isDeleted && comment.value(forKey: "text") == "mine")
    #expect(try stage.destinations(comment, "post") == [posts[1].objectID])
    #expect(try stage.brokenEnds() == [] && stage.store.verify(deep: true) == [])
  }

  @Test func `S49: an insert that is undone after others have led to it follows its rules`() throws
  {
    let stage = try Stage()
    let (a, b) = (stage.context(), stage.context())
    let post = b.insert("Post")
    try b.save()
    let blog = a.insert("Blog")
    try a.save()
    post.setValue(reference(blog), forKey: "blog")
    try b.save()
    a.undo()
    #expect(blog.isDeleted)
    try a.save()
    #expect(try stage.destinations(post, "blog") == [])
    #expect(try stage.brokenEnds() == [] && stage.store.verify(deep: true) == [])
  }

  @Test func `S51: a step is not undone by itself to which others lead since it was read`() throws {
    let stage = try Stage()
    let (a, b) = (stage.context(), stage.context())
    let post = b.insert("Post")
    try b.save()
    let blog = a.insert("Blog")
    try a.save()
    #expect(blog.value(forKey: "posts") == .set([]))
    post.setValue(reference(blog), forKey: "blog")
    try b.save()
    #expect(throws: ContextError.self) { try a.undo(step: 0) }
    #expect(!blog.isDeleted)
  }

  @Test func `S63: a policy of the program's that deletes leaves nothing that leads there`() throws
  {
    let stage = try Stage()
    let (a, b) = (stage.context(), stage.context())
    let (blog, post) = (a.insert("Blog"), a.insert("Post"))
    try a.save()
    b.object(with: blog.objectID).setValue("b", forKey: "name")
    blog.setValue("a", forKey: "name")
    post.setValue(reference(blog), forKey: "blog")
    try a.save()
    b.mergePolicy = .custom { _ in .deleted }
    try b.save()
    #expect(stage.objectIDs("Blog") == [])
    #expect(try stage.destinations(post, "blog") == [])
    #expect(try stage.brokenEnds() == [] && stage.store.verify(deep: true) == [])
  }

  @Test(arguments: [true, false])
  func `S44: what was never saved goes without being denied, and nothing leads to it`(
    isRedone: Bool
  )
    throws
  {
    let stage = try Stage()
    let ui = stage.context()
    let blog = ui.insert("Blog")
    let person = ui.insert("Person")
    blog.setValue(reference(person), forKey: "editor")
    if isRedone {
      ui.undo()
      ui.redo()
    }
    ui.delete(person)
    try ui.save()
    #expect(blog.value(forKey: "editor") == nil)
    #expect(try stage.brokenEnds() == [] && stage.objectIDs("Person") == [])
  }
}

extension MergePolicy {
  fileprivate var tells: Bool { if case .error = self { true } else { false } }
}

extension ManagedObjectContext {
  fileprivate func existingObjectIsMissing(_ id: ObjectID) throws -> Bool {
    do {
      _ = try existingObject(with: id)
      return false
    } catch ContextError.objectMissing {
      return true
    }
  }
}
