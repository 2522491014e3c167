internal import FoundationEssentials
internal import ObjectModel
internal import ObjectPatching
internal import ObjectQuery
internal import ObjectStore

// Forms for other programs: what stands before all objects and behind them, and those of one entity after the other.
extension RowWriter {
  func begin() {
    switch format {
    case "json": beginDocument()
    case "sql": output.exact("BEGIN;\n")
    case "plist":
      output.exact(
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <array>

        """)
    default: break
    }
  }

  func end() {
    switch format {
    case "json": endDocument()
    case "sql": output.exact("COMMIT;\n")
    case "plist":
      output.exact("</array>\n</plist>\n")
      guard losses.textCount > 0 else { return }
      output.note(
        "\("note:", .warning) \(Wording.count(losses.textCount, "text")) had characters that XML has not; \u{FFFD} stands for each."
      )
    default: break
    }
  }

  /// What the tables of some entities are called, and the views of those that inherit from them.
  func tableNames(of entities: [String]) -> [String: String] {
    let all = entities + entities.flatMap { family(of: $0).dropFirst().map(\.name) }
    return Dictionary(firstOf: zip(all, SQLNames.unique(all)))
  }

  /// Writes the objects of an entity.
  ///
  /// - Parameter tables: what tables and views are called.
  func writePart(
    _ objects: [ObjectID], of entity: String, _ tables: [String: String]
  ) throws(StoreError) {
    switch format {
    case "json": try writeElements(objects)
    case "sql": try writeSQL(objects, of: entity, tables)
    case "plist": try writePropertyList(objects)
    default: try write(objects, of: entity)
    }
  }

  // MARK: SQL

  /// The most columns of a table that SQLite reads, as it is built everywhere.
  private static let largestColumnCount = 2_000

  private func writeSQL(
    _ objects: [ObjectID], of entity: String, _ tables: [String: String]
  ) throws(StoreError) {
    let table = tables[entity] ?? entity
    let keys = try keys(of: objects, entity)
    let described = snapshot.era?.model.entity(named: entity)
    // Keys come first: what objects are called can be called otherwise.
    var names = SQLNames.unique(keys + ["object"]).map(Self.name)
    let primary = names.removeLast()
    let columns = zip(keys, names).map { key, name in
      "\(name) \(described?.attribute(key)?.type.columnType ?? "TEXT")"
    }
    let columnNames = Dictionary(firstOf: zip(keys, names))
    output.exact(
      "CREATE TABLE \(Self.name(table)) (\((["\(primary) TEXT PRIMARY KEY"] + columns).joined(separator: ", ")));\n"
    )
    if names.count + 1 > Self.largestColumnCount {
      output.note(
        "\("note:", .warning) the table \(table) has \(Wording.count(names.count + 1)) columns; SQLite reads none of more than \(Wording.count(Self.largestColumnCount))."
      )
    }
    try forEach(objects) { object, values in
      let cells =
        [Self.literal(.string(wording.name(object)), wording)]
        + values.map { Self.literal($0.value, wording) }
      let names = [primary] + values.map { columnNames[$0.key] ?? Self.name($0.key) }
      output.exact(
        "INSERT INTO \(Self.name(table)) (\(names.joined(separator: ", "))) VALUES (\(cells.joined(separator: ", ")));\n"
      )
    }
    for heir in family(of: entity).dropFirst().map(\.name) {
      let isOne = family(of: heir).map { member in
        let beginning = "\(member.name)/"
        return
          "substr(\(primary), 1, \(beginning.unicodeScalars.count)) = \(Self.textLiteral(beginning))"
      }
      output.exact(
        "CREATE VIEW \(Self.name(tables[heir] ?? heir)) AS SELECT * FROM \(Self.name(table)) WHERE \(isOne.joined(separator: " OR "));\n"
      )
    }
  }

  private static func name(_ text: String) -> String { quoted(text, "\"") }

  private static func quoted(_ text: String, _ quote: Unicode.Scalar) -> String {
    "\(quote)\(text.escaping { $0 == quote ? "\(quote)\(quote)" : nil })\(quote)"
  }

  private static func literal(_ value: Value, _ wording: Wording) -> String {
    switch value {
    case .null: return "NULL"
    case .boolean(let value): return value ? "1" : "0"
    case .integer(let value), .counter(let value): return String(value)
    case .real(let value) where value.isFinite: return String(value)
    case .string(let text): return textLiteral(text)
    case .reference(let object): return quoted(wording.name(object), "'")
    case .data(let data):
      return "X'" + data.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() + "'"
    default: return textLiteral(value.toldInCell)
    }
  }

  /// A text. What holds a zero byte, which ends a statement, is put together of bytes, and so is what has lines that end
  /// with CR LF, of which SQLite's shell reads LF.
  private static func textLiteral(_ text: String) -> String {
    guard text.contains("\r\n") || text.utf8.contains(0) else { return quoted(text, "'") }
    let digits = text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return "CAST(X'\(digits)' AS TEXT)"
  }

  // MARK: Property lists

  private func writePropertyList(_ objects: [ObjectID]) throws(StoreError) {
    try forEach(objects) { object, values in
      output.exact(
        "  <dict>\n    <key>object</key><string>\(xml(wording.name(object)))</string>\n")
      output.exact("    <key>values</key><dict>\n")
      for (key, value) in values {
        output.exact("      <key>\(xml(key))</key>\(element(value))\n")
      }
      output.exact("    </dict>\n  </dict>\n")
    }
  }

  private func element(_ value: Value) -> String {
    switch value {
    case .null: return "<string></string>"
    case .boolean(let value): return value ? "<true/>" : "<false/>"
    case .integer(let value), .counter(let value): return "<integer>\(value)</integer>"
    case .real(let value): return "<real>\(value)</real>"
    case .string(let text): return "<string>\(xml(text))</string>"
    case .data(let data): return "<data>\(data.base64EncodedString())</data>"
    case .date(let date):
      // Dates of property lists have whole seconds.
      let second = Date(
        timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(.down))
      return ISODate.exactText(second).map { "<date>\($0)</date>" }
        ?? "<real>\(date.timeIntervalSinceReferenceDate)</real>"
    case .array(let values): return "<array>" + values.map(element).joined() + "</array>"
    case .set(let values):
      return "<array>" + values.inOrder.map(element).joined() + "</array>"
    case .dictionary(let values):
      return "<dict>"
        + values.sorted { $0.key < $1.key }.map {
          "<key>\(xml($0.key))</key>\(element($0.value))"
        }
        .joined() + "</dict>"
    case .reference(let object): return "<string>\(xml(wording.name(object)))</string>"
    case .decimal, .uuid, .url: return "<string>\(xml(value.plainJSON?.string ?? ""))</string>"
    }
  }

  /// A text as XML has it, without the characters that XML has not.
  private func xml(_ text: String) -> String {
    var isWhole = true
    let escaped = text.escaping { scalar in
      switch scalar {
      case "&": return "&amp;"
      case "<": return "&lt;"
      case ">": return "&gt;"
      case "\t", "\n": return nil
      case "\r": return "&#13;"
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF:
        isWhole = false
        return "\u{FFFD}"
      default: return nil
      }
    }
    if !isWhole { losses.textCount += 1 }
    return escaped
  }
}

extension AttributeType {
  /// The type of a column that holds such values.
  fileprivate var columnType: String {
    switch self {
    case .boolean, .integer, .counter: "INTEGER"
    case .real: "REAL"
    case .data: "BLOB"
    default: "TEXT"
    }
  }
}

extension Value {
  /// How a cell has it that is no text: as in JSON, with large whole numbers within it marked.
  var toldInCell: String {
    let json = plainJSON ?? markedJSON
    if case .integer(let number) = json { return String(number) }
    return json.string ?? json.withMarkedIntegers.description
  }
}
