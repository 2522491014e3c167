import FoundationEssentials
import ObjectModel
import ObjectQuery

/// A second evaluator, which looks everything up by name and works on optional doubles, decimals and lists:
/// slow, and written from docs/query.md alone.
struct NaiveFilter {
  let object: Thing

  func admits(_ filter: Filter) throws -> Bool {
    switch filter.node {
    case .constant(let isTrue): return isTrue
    case .and(let parts): return try parts.allSatisfy(admits)
    case .or(let parts): return try parts.contains(where: admits)
    case .not(let part): return try !admits(part)
    case .related(let quantifier, let path, let inner):
      let answers = try ends(path).map { end -> Bool in
        guard case .object(let thing) = end else { return false }
        return try NaiveFilter(object: thing).admits(inner)
      }
      return judge(quantifier, answers)
    case .comparison(let comparison):
      guard let quantifier = comparison.quantifier else {
        return try holds(comparison, try value(comparison.left), comparison.right)
      }
      guard case .key(let path) = comparison.left else { return false }
      let answers = try ends(path).flatMap { end -> [Bool] in
        switch end {
        case .object(let thing):
          return [try holds(comparison, .reference(thing.objectID), comparison.right)]
        case .value(.set(let members)):
          return try members.map { try holds(comparison, $0, comparison.right) }
        case .value(.null) where path == ["tags"]: return []
        case .value(.array(let members)):
          return try members.map { try holds(comparison, $0, comparison.right) }
        case .value(let value): return [try holds(comparison, value, comparison.right)]
        }
      }
      return judge(quantifier, answers)
    }
  }

  private func judge(_ quantifier: Filter.Quantifier, _ answers: [Bool]) -> Bool {
    switch quantifier {
    case .any: answers.contains(true)
    case .all: !answers.contains(false)
    case .none: !answers.contains(true)
    }
  }

  // MARK: Paths

  private enum End {
    case object(Thing)
    case value(Value)
  }

  private func ends(_ path: [String]) throws -> [End] {
    var ends = [End.object(object)]
    for name in path {
      ends = try ends.flatMap { end -> [End] in
        guard case .object(let thing) = end else { return [] }
        let key = Blogs.key(name)
        if name == "blog" || name == "post" {
          return thing.one[key].map { [.object($0)] } ?? []
        }
        if name == "posts" || name == "comments" {
          return thing.many[key, default: []].map { .object($0) }
        }
        if name == "double" { return [.value(try thing.virtualValue(2))] }
        return [.value(thing.values[key] ?? .null)]
      }
    }
    return ends
  }

  private func value(_ operand: Filter.Operand) throws -> Value {
    switch operand {
    case .literal(let value): return value
    case .key(let path):
      switch try ends(path).first {
      case .object(let thing)?: return .reference(thing.objectID)
      case .value(let value)?: return value
      case nil: return .null
      }
    case .count(let path):
      let found = try ends(path)
      if path.last == "comments" { return .integer(found.count) }
      if case .value(.set(let members))? = found.first { return .integer(members.count) }
      return .null
    case .list(let parts): return .array(try parts.map(value))
    case .negative(let inner): return try calculate(.subtract, .integer(0), value(inner))
    case .otherwise(let one, let other):
      let first = try value(one)
      return first.isNull ? try value(other) : first
    case .arithmetic(let arithmetic, let one, let other):
      return calculate(arithmetic, try value(one), try value(other))
    }
  }

  private func calculate(_ arithmetic: Filter.Arithmetic, _ one: Value, _ other: Value) -> Value {
    // The numbers of these tests are small: whole ones, halves, and decimals with one digit behind the point.
    guard let first = number(one), let second = number(other) else { return .null }
    let areWhole = [one, other].allSatisfy { $0.kind == .integer || $0.kind == .counter }
    switch arithmetic {
    case .add: return made(first + second, areWhole)
    case .subtract: return made(first - second, areWhole)
    case .multiply: return made(first * second, areWhole)
    case .divide:
      if second == 0 { return .null }
      return areWhole ? .integer(Int(first / second)) : .real(first / second)
    case .remainder:
      if second == 0 || !areWhole { return .null }
      return .integer(Int(first) % Int(second))
    }
  }

  private func made(_ number: Double, _ isWhole: Bool) -> Value {
    isWhole ? .integer(Int(number)) : .real(number)
  }

  private func number(_ value: Value) -> Double? {
    switch value {
    case .integer(let value), .counter(let value): Double(value)
    case .real(let value): value
    case .decimal(let value): Double("\(value)")
    default: nil
    }
  }

  // MARK: Relations

  private func holds(
    _ comparison: Filter.Comparison, _ one: Value, _ right: Filter.Operand
  ) throws -> Bool {
    let other = try value(right)
    let options = comparison.options
    switch comparison.relation {
    case .equal: return same(one, other, options)
    case .notEqual: return !same(one, other, options)
    case .less: return order(one, other, options) == -1
    case .lessOrEqual: return [-1, 0].contains(order(one, other, options))
    case .greater: return order(one, other, options) == 1
    case .greaterOrEqual: return [1, 0].contains(order(one, other, options))
    case .between:
      guard case .array(let bounds) = other else { return false }
      return [1, 0].contains(order(one, bounds[0], options))
        && [-1, 0].contains(order(one, bounds[1], options))
    case .isIn: return members(other).contains { same(one, $0, options) }
    case .contains:
      if let text = one.string, let part = other.string {
        let (text, part) = (Array(fold(text, options).utf8), Array(fold(part, options).utf8))
        return text.indices.contains { text[$0...].starts(with: part) } || part.isEmpty
      }
      if one.kind == .string { return false }
      return members(one).contains { same($0, other, options) }
    case .beginsWith:
      guard let text = one.string, let part = other.string else { return false }
      return fold(text, options).utf8.starts(with: fold(part, options).utf8)
    case .endsWith:
      guard let text = one.string, let part = other.string else { return false }
      return fold(text, options).utf8.reversed().starts(with: fold(part, options).utf8.reversed())
    case .like:
      guard let text = one.string, let part = other.string else { return false }
      return like(Array(fold(text, options)), Array(fold(part, options)))
    case .matches:
      guard let text = one.string, let part = other.string else { return false }
      let pattern = options.contains(.ignoringCase) ? "(?i)" + part : part
      return try Regex(pattern).wholeMatch(in: text) != nil
    }
  }

  private func members(_ value: Value) -> [Value] {
    switch value {
    case .array(let values): values
    case .set(let values): Array(values)
    default: []
    }
  }

  private func fold(_ text: String, _ options: Filter.TextOptions) -> String {
    options.contains(.ignoringCase) ? text.lowercased() : text
  }

  private func same(_ one: Value, _ other: Value, _ options: Filter.TextOptions) -> Bool {
    if one.isNull || other.isNull { return one.isNull && other.isNull }
    if let one = number(one), let other = number(other) { return one == other }
    if let one = one.string, let other = other.string {
      return Array(fold(one, options).utf8) == Array(fold(other, options).utf8)
    }
    if let one = one.date, let other = moment(other) { return one == other }
    return one == flag(other, one)
  }

  private func order(_ one: Value, _ other: Value, _ options: Filter.TextOptions) -> Int? {
    if let one = number(one), let other = number(other) { return sign(one, other) }
    if let one = one.string, let other = other.string {
      let (one, other) = (fold(one, options), fold(other, options))
      if one.utf8.elementsEqual(other.utf8) { return 0 }
      return one.utf8.lexicographicallyPrecedes(other.utf8) ? -1 : 1
    }
    if let one = one.date, let other = moment(other) { return sign(one, other) }
    if case .boolean(let one) = one, case .boolean(let other) = flag(other, .boolean(one)) {
      return sign(one ? 1 : 0, other ? 1 : 0)
    }
    return nil
  }

  /// One and zero, where they are compared with a boolean.
  private func flag(_ value: Value, _ other: Value) -> Value {
    other.kind == .boolean && value.kind == .integer ? .boolean(value == 1) : value
  }

  /// Dates of these tests that are written as texts.
  private func moment(_ value: Value) -> Date? {
    value == "2001-01-02" ? Date(timeIntervalSinceReferenceDate: 86_400) : value.date
  }

  private func sign<Number: Comparable>(_ one: Number, _ other: Number) -> Int? {
    one < other ? -1 : one > other ? 1 : one == other ? 0 : nil
  }

  private func like(_ text: [Character], _ pattern: [Character]) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    if first == "*" {
      return (0...text.count).contains { like(Array(text[$0...]), Array(pattern.dropFirst())) }
    }
    guard let next = text.first, first == "?" || first == next else { return false }
    return like(Array(text.dropFirst()), Array(pattern.dropFirst()))
  }
}
