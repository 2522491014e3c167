package import FoundationEssentials
package import ObjectModel
package import ObjectPatching
internal import ObjectQuery
package import ObjectStore

/// How objects, values and times of a store are written for people, and in JSON.
package struct Wording {
  private let store: ReadableStore
  private let eras: [Era]

  /// By the names that things have now.
  package init(_ store: ReadableStore) { self.init(store, store.head) }

  /// By the names that things have at a state.
  package init(_ store: ReadableStore, _ snapshot: Snapshot) {
    self.store = store
    eras = snapshot.eras
  }

  /// By the names that things had when a commit was made.
  package init(_ store: ReadableStore, at commit: CommitNumber) {
    self.store = store
    let head = store.head
    eras = Array(head.eras.prefix(head.eraCount(at: commit)))
  }

  // MARK: Objects

  /// The entity of an object, by the last name it had; where it came later, by the first.
  package func entity(of object: ObjectID) -> String {
    eras.reversed().lazy.compactMap { $0.name(of: object.entity) }.first
      ?? store.head.eras.lazy.compactMap { $0.name(of: object.entity) }.first
      ?? "entity\(object.entity.rawValue)"
  }

  /// An object as it can be typed: `Post/7`.
  package func name(_ object: ObjectID) -> String {
    guard object.store == store.tag else { return object.uri }
    let origin = object.origin == 0 ? "" : "\(object.origin):"
    return "\(entity(of: object))/\(origin)\(object.number)"
  }

  // MARK: Values

  /// A value on a line; long ones are cut. ‘schema’ tells of which kind it is.
  package func text(_ value: Value?, longest: Int = 120) -> String {
    switch value {
    case nil, .some(.null): return "none"
    case .reference(let object): return name(object)
    case .counter(let amount): return String(amount)
    case .uuid(let uuid): return uuid.uuidString
    case .decimal(let number): return "\(number)"
    case .date(let date):
      let text = Value.date(date).queryText
      // What has more than milliseconds a filter has otherwise.
      return text.hasSuffix("Z") ? text : Self.exactTime(date)
    case .real(let number) where !number.isFinite: return "\(number)"
    case .url(let url): return Self.cut(url.absoluteString, longest)
    case .data(let data) where data.count > longest: return "\(Self.count(data.count)) bytes"
    case .string(let text) where text.utf8.count > 4 * longest:
      return Self.cut(Value.string(String(text.prefix(longest))).queryText, longest)
    case .array(let values): return Self.cut(list("[", values, longest), longest)
    case .set(let values):
      return Self.cut(list("{", values.inOrder, longest), longest)
    case .dictionary(let values) where !values.isEmpty:
      let entries = values.sorted { $0.key < $1.key }.prefix(longest / 3 + 1).map { key, value in
        "\(Value.string(key).queryText): \(text(value, longest: longest))"
      }
      let rest = entries.count < values.count ? ", …" : ""
      return Self.cut("[\(entries.joined(separator: ", "))\(rest)]", longest)
    case .some(let value): return Self.cut(value.queryText, longest)
    }
  }

  private func list(_ opening: String, _ values: [Value], _ longest: Int) -> String {
    // A member takes three characters at least.
    let shown = values.prefix(longest / 3 + 1).map { text($0, longest: longest) }
    return opening + shown.joined(separator: ", ")
      + (shown.count < values.count ? ", …" : "") + (opening == "[" ? "]" : "}")
  }

  private static func cut(_ text: String, _ longest: Int) -> String {
    text.count <= longest ? text : text.prefix(longest - 1) + "…"
  }

  /// A value in JSON: plain where the model says what it is, and with its kind beside it elsewhere.
  package func json(_ value: Value?, _ key: String, of object: ObjectID) -> JSONValue {
    guard let value else { return .null }
    let entity = eras.last?.entity(of: object)
    let type = entity?.attribute(key)?.type
    let isTold = type?.admits(value) ?? (entity?.relationship(key) != nil)
    let json = isTold ? value.plainJSON ?? value.markedJSON : value.markedJSON
    return isTold && [.integer, .counter].contains(type) ? json : json.withMarkedIntegers
  }

  // MARK: Times and amounts

  /// A moment to the millisecond, in UTC.
  package static func time(_ date: Date) -> String {
    let text = exactTime(date)
    guard let point = text.lastIndex(of: "."), text.hasSuffix("Z") else { return text }
    return text[..<point] + text[point...].dropLast().prefix(4) + "Z"
  }

  /// A moment in all its digits.
  package static func exactTime(_ date: Date) -> String {
    ISODate.exactText(date) ?? "\(date.timeIntervalSinceReferenceDate) s after 2001"
  }

  /// A number with commas between its thousands.
  package static func count(_ number: some BinaryInteger) -> String {
    let digits = String(number)
    var text = ""
    for (place, digit) in digits.enumerated() {
      let rest = digits.count - place
      if place > 0, rest % 3 == 0, !(place == 1 && digits.hasPrefix("-")) { text += "," }
      text.append(digit)
    }
    return text
  }

  /// `1 commit`, `2 commits`.
  package static func count(
    _ number: some BinaryInteger, _ singular: String, _ plural: String? = nil
  ) -> String {
    "\(count(number)) \(number == 1 ? singular : plural ?? singular + "s")"
  }

  /// An amount of bytes to three digits: `1.24 MB`.
  package static func bytes(_ count: some BinaryInteger) -> String {
    guard count >= 1000 else { return "\(count) B" }
    var (amount, unit) = (Double(count), 0)
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
    while amount >= 999.5, unit < units.count - 1 {
      amount /= 1000
      unit += 1
    }
    let power = amount < 9.995 ? 100.0 : amount < 99.95 ? 10.0 : 1.0
    let rounded = (amount * power).rounded() / power
    return "\(power == 1 ? String(Int(rounded)) : String(rounded)) \(units[unit])"
  }
}
