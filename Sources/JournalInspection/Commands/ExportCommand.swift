internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// `xjournal export`: all objects in forms that other programs read.
extension Command {
  static let export = Command(
    "export", "Writes all objects in a form that other programs read.",
    details: [
      "CSV holds one entity, which --entity names. SQL makes a table of each entity that inherits from no other, and a view of "
        + "each that does: its objects are in the table of the other. Both have a column that names the "
        + "object, ‘object’; beside a key ‘object’ it is ‘object 2’.",
      "SQL does not tell capitals apart: of names that differ in nothing else the first stays, and the others are numbered: "
        + "‘TITLE’, ‘Title 2’. Keys come first there: beside ‘Object’ the names are in ‘object 2’, and beside ‘Object’ and "
        + "‘object’, which is ‘object 2’ then, in ‘object 3’.",
      "In CSV and SQL an object that a value leads to is ‘Post/7’, and what has several values is JSON, with objects by their "
        + "URIs. A table is called as its entity, but for ‘_sqlite_x’ where that is ‘sqlite_x’, as SQLite keeps such names to "
        + "itself. SQLite reads no table of more than 2,000 columns; where one has more, that is told.",
      "Entities and keys are called as the model had them at the state that is written, and so --entity names one. "
        + "‘import’ reads them by the model that the journal has now, and refuses entities that this does not have.",
      "The property list is in XML, which has no control characters: ‘\u{FFFD}’ stands for each, and it is told how many texts "
        + "had any. Dates have whole seconds there.",
    ],
    examples: [
      Example("xjournal export", "a line of JSON for each object"),
      Example("xjournal export --format csv --entity Post", "for a spreadsheet"),
      Example("xjournal export --format sql --at v1", "for a database, as it was at v1"),
      Example("xjournal export --format events", "the edits instead of the objects"),
    ],
    options: [
      Option(
        "format", choices: ["ndjson", "json", "csv", "sql", "plist", "events"], "how it is written"),
      Option("entity", value: "NAME", "only its objects"),
    ],
    travels: true, passCount: 1
  ) { (request) throws(ToolError) in
    let (store, output) = (try request.store(), request.output)
    let format = try request.format("ndjson", forPrograms: "ndjson")
    if format == "events" {
      guard !request.has("entity") else {
        throw .usage("--entity is for objects, and goes not with --format events.")
      }
      var printer = try EventPrinter(store, output, isJSON: true)
      var selection: EventSelection?
      if request.has("at") {
        selection = try EventSelection(through: try request.commitNumber(), of: store)
      }
      try request.forEachEvent(of: store) { next in
        selection?.pass(before: next)
        printer.pass(before: next)
      } _: { (event) throws(StoreError) in
        printer.take(event)
        guard selection == nil || selection?.take(event) == true else { return false }
        printer.show(event)
        return output.isOpen
      }
      return .fine
    }
    let snapshot = try request.snapshot()
    let entities = try request.exported(snapshot)
    guard format != "csv" || entities.count == 1 else {
      throw .usage("CSV holds one entity; name it by --entity.")
    }
    let writer = RowWriter(format, store, snapshot, output)
    writer.begin()
    do throws(ToolError) {
      let tables = writer.tableNames(of: entities)
      for entity in entities {
        let query = try store.queryOfAll(entity, in: snapshot)
        try onStore { () throws(StoreError) in
          try writer.writePart(try snapshot.objects(of: query), of: entity, tables)
        }
      }
    } catch {
      writer.breakOff()
      throw error
    }
    writer.end()
    return .fine
  }
}

extension Request {
  /// The entities whose objects are written: all that inherit from no other, with those that inherit from them.
  fileprivate func exported(_ snapshot: Snapshot) throws(ToolError) -> [String] {
    guard let name = self["entity"] else { return snapshot.rootEntities }
    let all = snapshot.era?.model.descriptions ?? []
    guard all.contains(where: { $0.name == name }) else {
      throw .noEntity(name, at: snapshot, of: try store())
    }
    return [name]
  }
}
