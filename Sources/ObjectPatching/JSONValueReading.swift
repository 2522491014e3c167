internal import FoundationEssentials
package import ObjectModel
internal import ObjectQuery

// How JSON is read as values: by the type of the attribute where there is one, and by what it says itself elsewhere.
extension JSONValue {
  /// The value as an attribute of a type has it. What does not agree with the type stays what it says itself, so that a
  /// delegate can convert it; who applies it without one is told.
  ///
  /// - Parameter type: nil where the model has no such attribute.
  /// - Parameter mark: the kind that was said beside the value.
  func value(
    of type: AttributeType?, markedAs mark: JSONMark? = nil
  ) throws(JSONError) -> ObjectModel.Value {
    if case .null = self { return .null }
    if let type, let value = try typed(type) { return value }
    if let mark {
      if let value = try typed(mark.type) { return value }
      // Nobody but the mark says what it is. What is marked itself needs none.
      if object == nil, type == nil {
        throw JSONError(.badValue, "is \(kindName) that is no \(mark.rawValue)")
      }
    }
    return try natural()
  }

  /// The value as an attribute of a type has it, where a whole number may be a text that others would round.
  package func value(exportedAs type: AttributeType?) throws(JSONError) -> ObjectModel.Value {
    if let type, let number = whole(asTextOf: type) { return number }
    return try value(of: type)
  }

  /// A whole number that is a text, as a reader that knows only reals would round it.
  private func whole(asTextOf type: AttributeType) -> ObjectModel.Value? {
    guard case .string(let text) = self, text.first != "+", let number = Int(text) else {
      return nil
    }
    switch type {
    case .integer: return .integer(number)
    case .counter: return .counter(number)
    default: return nil
    }
  }

  /// What it says itself, with all that is marked in it.
  func natural() throws(JSONError) -> ObjectModel.Value {
    switch self {
    case .null: return .null
    case .boolean(let value): return .boolean(value)
    case .integer(let value): return .integer(value)
    case .number(let number):
      if number.isWholeBeyondIntegers {
        guard let decimal = number.decimal else {
          throw JSONError(.badValue, "is a whole number that no value holds exactly")
        }
        return .decimal(decimal)
      }
      guard let real = number.real else {
        throw JSONError(.badValue, "is a number beyond every real")
      }
      return .real(real)
    case .string(let text): return .string(text)
    case .array(let elements): return .array(try Self.naturals(elements))
    case .object(let object): return try marked(object)
    }
  }

  private static func naturals(_ elements: [JSONValue]) throws(JSONError) -> [ObjectModel.Value] {
    var values: [ObjectModel.Value] = []
    values.reserveCapacity(elements.count)
    for (index, element) in elements.enumerated() {
      do throws(JSONError) {
        values.append(try element.natural())
      } catch {
        throw error.inside(index)
      }
    }
    return values
  }

  private static func dictionary(_ object: JSONObject) throws(JSONError) -> ObjectModel.Value {
    var values: [String: ObjectModel.Value] = [:]
    for (key, member) in object.members {
      do throws(JSONError) {
        values[key] = .some(try member.natural())
      } catch {
        throw error.inside(key)
      }
    }
    return .dictionary(values)
  }

  /// The value of an object: a dictionary, unless its one key is a mark.
  private func marked(_ object: JSONObject) throws(JSONError) -> ObjectModel.Value {
    guard let key = object.members.first(where: { $0.key.utf8.first == JSONMark.sign })?.key else {
      return try Self.dictionary(object)
    }
    // A mark is followed by nothing that would make one character with it.
    guard object.count == 1, let mark = JSONMark(key: key), let content = object[key]
    else {
      throw JSONError(
        .badValue,
        "is no mark of a kind; a dictionary whose keys begin with $ is written within "
          + "{\"$dictionary\": …}", at: JSONPointer.token(JSONError.clipped(key)))
    }
    do throws(JSONError) {
      switch (mark, content) {
      case (.dictionary, .object(let members)): return try Self.dictionary(members)
      case (.date, _):
        if let date = try content.typed(.date) { return date }
        if let seconds = content.real {
          return .date(Date(timeIntervalSinceReferenceDate: seconds))
        }
      default:
        if let number = content.whole(asTextOf: mark.type) { return number }
        if let value = try content.typed(mark.type) { return value }
      }
      throw JSONError(.badValue, "is \(content.kindName) that is no \(mark.rawValue)")
    } catch {
      throw error.inside(key)
    }
  }

  /// The value of a type that it is; nil where it is none.
  private func typed(_ type: AttributeType) throws(JSONError) -> ObjectModel.Value? {
    switch (type, self) {
    case (.boolean, .boolean(let value)): return .boolean(value)
    case (.integer, _): return whole.map { .integer($0) }
    case (.counter, _): return whole.map { .counter($0) }
    case (.real, _): return real.map { .real($0) }
    case (.decimal, _): return decimal.map { .decimal($0) }
    case (.string, .string(let text)): return .string(text)
    case (.data, .string(let text)): return Data(base64Encoded: text).map { .data($0) }
    case (.date, .string(let text)): return ISODate.read(text).map { .date($0) }
    case (.uuid, .string(let text)): return UUID(uuidString: text).map { .uuid($0) }
    case (.url, .string(let text)): return Self.url(text).map { .url($0) }
    case (.reference, .string(let text)): return (try? ObjectID(uri: text)).map { .reference($0) }
    case (.set, .array(let elements)): return .set(Set(try Self.naturals(elements)))
    case (.dictionary, .object): return try natural()
    default: return nil
    }
  }

  /// The whole number that it is, however written.
  var whole: Int? {
    switch self {
    case .integer(let value): value
    case .number(let number): number.integer
    default: nil
    }
  }

  private var real: Double? {
    switch self {
    case .integer(let value): Double(exactly: value)
    case .number(let number): number.isWholeBeyondIntegers ? number.exactReal : number.real
    case .string("inf"): .infinity
    case .string("-inf"): -.infinity
    case .string("nan"): .nan
    case .string(let text): Self.oddReal(text)
    default: nil
    }
  }

  /// A real that is no number, by its bits.
  private static func oddReal(_ text: String) -> Double? {
    let digits = text.dropFirst(4)
    guard text.hasPrefix("nan:"), digits.allSatisfy({ "0123456789abcdef".contains($0) }),
      let bits = UInt64(digits, radix: 16)
    else { return nil }
    let real = Double(bitPattern: bits)
    return real.isNaN ? real : nil
  }

  private var decimal: Decimal? {
    switch self {
    case .integer(let value): return Decimal(value)
    case .number(let number): return number.decimal
    case .string("nan"): return .nan
    case .string(let text):
      // As JSON writes numbers, and nothing else.
      switch try? JSONValue(parsing: text.utf8) {
      case .integer(let value)?: return Decimal(value)
      case .number(let number)?: return number.decimal
      default: return nil
      }
    default: return nil
    }
  }

  /// A URL that is written as it was.
  private static func url(_ text: String) -> URL? {
    guard let url = URL(string: text), url.absoluteString.hasSameBytes(as: text) else { return nil }
    return url
  }
}
