import Testing

/// What the compiler refuses, so that nobody has to find it out at run time.
@Suite struct CompilerTests {
  private func refusal(_ program: String) throws -> String {
    try Toolchain.refusal(of: "import XJournal\n\(program)\n")
  }

  @Test func `a context and its objects do not cross threads, a store and IDs do`() throws {
    let fine = try refusal(
      """
      func work(_ store: JournaledStore, _ id: ObjectID) {
        Task.detached {
          let context = ManagedObjectContext(store)
          _ = try context.existingObject(with: id)
        }
      }
      """)
    #expect(fine.isEmpty, "\(fine)")
    let context = try refusal(
      """
      func work(_ context: ManagedObjectContext) {
        Task.detached { try context.save() }
      }
      """)
    #expect(context.contains("data race"), "\(context)")
    let object = try refusal(
      """
      func work(_ object: ManagedObject) {
        Task.detached { object["key"] = 1 }
      }
      """)
    #expect(object.contains("data race"), "\(object)")
  }
}
