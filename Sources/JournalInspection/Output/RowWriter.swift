internal import ObjectModel
internal import ObjectPatching
internal import ObjectStore

/// Writes objects as rows: a table, CSV, JSON in one document or on lines.
///
/// Rows are read when they are needed, those of CSV and the first of a table twice, and are not kept.
struct RowWriter {
  let format: String
  let snapshot: Snapshot
  let output: Output
  let wording: Wording
  private let printer: ObjectPrinter
  private let separator = Separator()
  let losses = Losses()

  /// What stands before the next element of a list.
  private final class Separator { var text = "\n" }

  /// How many texts were written that had characters which the format has not.
  final class Losses { var textCount = 0 }

  init(_ format: String, _ store: ReadableStore, _ snapshot: Snapshot, _ output: Output) {
    self.format = format
    self.snapshot = snapshot
    self.output = output
    printer = ObjectPrinter(store, snapshot, output)
    wording = Wording(store, snapshot)
  }

  func write(_ objects: [ObjectID], of entity: String) throws(StoreError) {
    switch format {
    case "ndjson":
      try forEach(objects) { object, values in output.json(printer.json(object, values)) }
    case "json":
      begin()
      do throws(StoreError) {
        try writeElements(objects)
      } catch {
        breakOff()
        throw error
      }
      end()
    case "csv": try writeCSV(objects, of: entity)
    default: try writeTable(objects, of: entity)
    }
  }

  /// Calls a closure with the values of objects, as long as somebody reads what comes of it.
  func forEach(
    _ objects: some Sequence<ObjectID>, _ body: (ObjectID, [(key: String, value: Value)]) -> Void
  ) throws(StoreError) {
    for object in objects where output.isOpen {
      guard let row = try snapshot.row(of: object) else { continue }
      body(object, printer.values(of: row, object))
    }
  }

  // One document, of which no more than an object is held at a time.

  func beginDocument() {
    output.exact(
      "{\"version\":\(JSONValue.formatVersion),\"kind\":\"objects\",\"at\":\(snapshot.number),"
        + "\"objects\":[")
  }

  func writeElements(_ objects: [ObjectID]) throws(StoreError) {
    try forEach(objects) { object, values in
      output.exact(separator.text + printer.json(object, values).safeText)
      separator.text = ",\n"
    }
  }

  func endDocument() { output.exact("\n]}\n") }

  /// Ends what cannot be written to its end, where it is to be readable all the same.
  func breakOff() {
    if format == "json" { output.exact("\n" + Output.endOfIncomplete) }
  }

  /// The keys of which there are values, and some others, those of the model in its order, and then the rest.
  func keys(
    of objects: some Sequence<ObjectID>, _ entity: String, and others: [String] = []
  ) throws(StoreError) -> [String] {
    var found = Set(others)
    try forEach(objects) { _, values in for value in values { found.insert(value.key) } }
    var ordered: [String] = []
    for described in family(of: entity) {
      for key in described.attributes.map(\.name) + described.relationships.map(\.name)
      where found.remove(key) != nil {
        ordered.append(key)
      }
    }
    return ordered + found.sorted()
  }

  /// An entity and its heirs, as the model has them.
  func family(of entity: String) -> [ModelEntity] {
    let model = snapshot.era?.model
    return ([entity] + (model?.entity(named: entity)?.heirs ?? [])).compactMap {
      model?.entity(named: $0)
    }
  }

  // MARK: CSV

  /// What the column is called that names the objects: beside a key ‘object’ it is ‘object 2’.
  private static func columnOfNames(beside keys: [String]) -> String {
    var (name, number) = ("object", 1)
    while keys.contains(name) {
      number += 1
      name = "object \(number)"
    }
    return name
  }

  /// As RFC 4180 has it, but for the ends of lines. What an object of the entity may have a value for is a column whatever is
  /// found, so that programs find it there.
  private func writeCSV(_ objects: [ObjectID], of entity: String) throws(StoreError) {
    let columns = family(of: entity).flatMap { described in
      described.attributes.filter { !$0.isTransient }.map(\.name)
        + described.relationships.filter { !$0.isTransient && !$0.isToMany }.map(\.name)
    }
    let keys = try keys(of: objects, entity, and: columns)
    output.exact(
      ([Self.columnOfNames(beside: keys)] + keys).map(Self.cell).joined(separator: ",") + "\n")
    try forEach(objects) { object, values in
      let known = Dictionary(firstOf: values.map { ($0.key, $0.value) })
      let cells = keys.map { key in known[key].map { plain($0) } ?? "" }
      output.exact(([wording.name(object)] + cells).map(Self.cell).joined(separator: ",") + "\n")
    }
  }

  /// A value as a cell has it: texts as they are, and others as in JSON.
  private func plain(_ value: Value) -> String {
    switch value {
    case .string(let text): return text
    case .reference(let object): return wording.name(object)
    default:
      return value.toldInCell
    }
  }

  private static func cell(_ text: String) -> String {
    guard text.utf8.contains(where: { [0x22, 0x2C, 0x0A, 0x0D].contains($0) }) else { return text }
    return "\"\(text.escaping { $0 == "\"" ? "\"\"" : nil })\""
  }

  // MARK: Tables

  /// How many rows tell how wide the columns are.
  private static let measuredCount = 200
  private static let widest = 32

  private func writeTable(_ objects: [ObjectID], of entity: String) throws(StoreError) {
    guard !objects.isEmpty else { return output.note("none") }
    let keys = try keys(of: objects.prefix(Self.measuredCount), entity)
    let columns = [Self.columnOfNames(beside: keys)] + keys
    var widths = columns.map(\.count)
    try forEach(objects.prefix(Self.measuredCount)) { object, values in
      for (place, cell) in cells(object, values, keys).enumerated() {
        widths[place] = max(widths[place], cell.shown.count)
      }
    }
    output.line(row(columns, widths, .heading))
    try forEach(objects) { object, values in
      output.line(row(cells(object, values, keys), widths, .plain))
    }
  }

  private func cells(
    _ object: ObjectID, _ values: [(key: String, value: Value)], _ keys: [String]
  ) -> [String] {
    let known = Dictionary(firstOf: values.map { ($0.key, $0.value) })
    return [wording.name(object)]
      + keys.map { key in known[key].map { wording.text($0, longest: Self.widest) } ?? "" }
  }

  private func row(_ cells: [String], _ widths: [Int], _ style: Style) -> Words {
    var line = ""
    for (place, cell) in cells.enumerated() {
      line += cell
      guard cells[(place + 1)...].contains(where: { !$0.isEmpty }) else { break }
      line += String(repeating: " ", count: max(0, widths[place] - cell.shown.count) + 2)
    }
    return Words(line, style)
  }
}
