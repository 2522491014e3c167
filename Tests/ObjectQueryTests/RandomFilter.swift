import FoundationEssentials
import ObjectModel
import ObjectQuery
import TestSupport

/// Filters by dice: any there can be, or such as posts can be asked for.
enum RandomFilter {
  static func pick<Element>(_ elements: [Element], _ dice: inout Dice) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &dice)]
  }

  // MARK: Any

  static func any(_ dice: inout Dice, depth: Int) -> Filter {
    switch Int.random(in: 0..<(depth > 0 ? 9 : 5), using: &dice) {
    case 0: return pick([.all, .none], &dice)
    case 1...4: return Filter(comparison(&dice))
    case 5: return .and((0..<3).map { _ in any(&dice, depth: depth - 1) })
    case 6: return .or((0..<2).map { _ in any(&dice, depth: depth - 1) })
    case 7: return .not(any(&dice, depth: depth - 1))
    default:
      return .related(
        pick(Filter.Quantifier.allCases, &dice), path(&dice), any(&dice, depth: depth - 1))
    }
  }

  private static func comparison(_ dice: inout Dice) -> Filter.Comparison {
    let relation = pick(Filter.Relation.allCases, &dice)
    let options = Filter.TextOptions(rawValue: UInt8.random(in: 0...3, using: &dice))
    if Int.random(in: 0..<4, using: &dice) == 0 {
      return .init(
        pick([.key(path(&dice)), .count(path(&dice))], &dice), relation, operand(&dice, 2),
        options: options, quantifier: pick(Filter.Quantifier.allCases, &dice))
    }
    return .init(operand(&dice, 2), relation, operand(&dice, 2), options: options)
  }

  private static func operand(_ dice: inout Dice, _ depth: Int) -> Filter.Operand {
    switch Int.random(in: 0..<(depth > 0 ? 9 : 5), using: &dice) {
    case 0, 1: return .key(path(&dice))
    case 2: return .count(path(&dice))
    case 3, 4: return .literal(value(&dice, depth))
    case 5:
      return .list((0..<Int.random(in: 0..<3, using: &dice)).map { _ in operand(&dice, depth - 1) })
    case 6:
      return .arithmetic(
        pick(Filter.Arithmetic.allCases, &dice), operand(&dice, depth - 1),
        operand(&dice, depth - 1))
    case 7: return .negative(operand(&dice, depth - 1))
    default: return .otherwise(operand(&dice, depth - 1), operand(&dice, depth - 1))
    }
  }

  private static func path(_ dice: inout Dice) -> [String] {
    let names = [
      "likes", "Zähler_2", "in", "AND", "limit", "self", "true", "@count", "a b", "`", "", "count",
      "date", "a.b", "1st", "e\u{301}", "\"",
    ]
    return (0..<Int.random(in: 0...3, using: &dice)).map { _ in pick(names, &dice) }
  }

  static func value(_ dice: inout Dice, _ depth: Int = 0) -> Value {
    switch Int.random(in: 0..<(depth > 0 ? 15 : 12), using: &dice) {
    case 0: return .null
    case 1: return .boolean(Bool.random(using: &dice))
    case 2: return .integer(pick([0, 1, -1, .min, .max, 17], &dice))
    case 3:
      return .real(
        pick(
          [
            0, -0.0, 1.5, -2e300, .leastNonzeroMagnitude, .infinity, .nan,
            Double(nan: 5, signaling: false), 3, 1e16,
          ],
          &dice))
    case 4:
      return .decimal(pick([Decimal(15) / 10, 0, -Decimal(3), Decimal.nan, 1_000_000], &dice))
    case 5, 6:
      return .string(
        pick(["", "a", "it's", "\"", "\\", "é\n\t\u{1}", "🙂", "a\r\n", "\u{301}x"], &dice))
    case 7: return .data(Data(pick([[], [0], [1, 2, 3]], &dice)))
    case 8:
      return .date(
        Date(
          timeIntervalSinceReferenceDate: pick(
            [0, 86_399.5, -1e9, 0.1, 1e300, .nan, -0.0, 700_000_000.123], &dice)))
    case 9: return .uuid(UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)))
    case 10: return .counter(Int.random(in: -5...5, using: &dice))
    case 11: return .reference(Blogs.id("Post", Int.random(in: 0..<9, using: &dice)))
    case 12:
      return .array((0..<Int.random(in: 0..<3, using: &dice)).map { _ in value(&dice, depth - 1) })
    case 13: return .set(Set((0..<2).map { _ in value(&dice, depth - 1) }))
    default: return .dictionary(["a": value(&dice, depth - 1), "": value(&dice, depth - 1)])
    }
  }
}
