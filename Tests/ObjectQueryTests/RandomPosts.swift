import FoundationEssentials
import ObjectModel
import ObjectQuery
import TestSupport

/// Posts by dice, and filters that posts can be asked for.
enum RandomPosts {
  private static let texts = ["", "a", "ab", "abc", "B", "b", "aB", "Äb"]

  static func posts(_ count: Int, _ dice: inout Dice) -> [Thing] {
    let blogs = (0..<4).map { number in
      Thing("Blog", number, ["title": .string(RandomFilter.pick(texts, &dice))])
    }
    return (0..<count).map { number in
      let post = Thing("Post", number)
      for name in [
        "flag", "likes", "score", "price", "title", "postDate", "views", "tags", "mood", "rank",
      ]
      where Int.random(in: 0..<4, using: &dice) > 0 {
        post.values[Blogs.key(name)] = value(of: name, &dice)
      }
      if Bool.random(using: &dice) { post.one[Blogs.key("blog")] = RandomFilter.pick(blogs, &dice) }
      post.many[Blogs.key("comments")] = (0..<Int.random(in: 0...3, using: &dice)).map { place in
        let comment = Thing("Comment", number * 4 + place)
        comment.values[Blogs.key("text")] = .string(RandomFilter.pick(texts, &dice))
        comment.values[Blogs.key("likes")] = value(of: "likes", &dice)
        return comment
      }
      return post
    }
  }

  private static func value(of key: String, _ dice: inout Dice) -> Value {
    let number = Int.random(in: -3...6, using: &dice)
    switch key {
    case "flag": return .boolean(Bool.random(using: &dice))
    case "likes": return .integer(number)
    case "score":
      return .real(RandomFilter.pick([0, -0.0, 0.5, 2, 3.5, .infinity, .nan, -2], &dice))
    case "price": return .decimal(Decimal(number) / 2)
    case "title": return .string(RandomFilter.pick(texts, &dice))
    case "postDate": return .date(Date(timeIntervalSinceReferenceDate: Double(number) * 43_200))
    case "views": return .counter(number)
    case "tags": return .set(Set((0..<2).map { _ in .string(RandomFilter.pick(texts, &dice)) }))
    case "mood": return RandomFilter.pick([.string("a"), 3, true, 0.5, ["a", 1]], &dice)
    default: return RandomFilter.pick([.integer(number), .real(1.5), .string("b")], &dice)
    }
  }

  // MARK: Filters

  static func filter(_ dice: inout Dice, depth: Int) -> Filter {
    switch Int.random(in: 0..<(depth > 0 ? 10 : 6), using: &dice) {
    case 0...5: return Filter(comparison(&dice))
    case 6: return .and((0..<3).map { _ in filter(&dice, depth: depth - 1) })
    case 7: return .or((0..<2).map { _ in filter(&dice, depth: depth - 1) })
    case 8: return .not(filter(&dice, depth: depth - 1))
    default:
      return .related(
        RandomFilter.pick(Filter.Quantifier.allCases, &dice), ["comments"],
        Filter(.init(.key("likes"), order(&dice), .literal(value(of: "likes", &dice)))))
    }
  }

  private static func order(_ dice: inout Dice) -> Filter.Relation {
    RandomFilter.pick([.equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual], &dice)
  }

  private static func number(_ dice: inout Dice) -> Filter.Operand {
    let number = Int.random(in: -3...6, using: &dice)
    return RandomFilter.pick(
      [
        .literal(.integer(number)), .literal(.real(Double(number) / 2)), .literal(.counter(number)),
        .literal(.decimal(Decimal(number) / 2)),
      ], &dice)
  }

  private static func numeric(_ dice: inout Dice) -> Filter.Operand {
    let key = RandomFilter.pick(
      ["likes", "score", "price", "views", "double", "rank", "mood"], &dice)
    switch Int.random(in: 0..<8, using: &dice) {
    case 0:
      return .arithmetic(
        RandomFilter.pick(Filter.Arithmetic.allCases, &dice),
        .key(RandomFilter.pick(["likes", "views", "double"], &dice)),
        .literal(.integer(Int.random(in: -2...3, using: &dice))))
    case 1: return .count(RandomFilter.pick([["comments"], ["tags"]], &dice))
    case 2: return .otherwise(.key(key), 1)
    case 3: return .negative(.key(RandomFilter.pick(["likes", "views"], &dice)))
    default: return .key(key)
    }
  }

  private static func comparison(_ dice: inout Dice) -> Filter.Comparison {
    let texts = texts + ["*b", "a?", "a*", "*"]
    let text = Filter.Operand.literal(.string(RandomFilter.pick(texts, &dice)))
    let options = Filter.TextOptions(rawValue: UInt8.random(in: 0...1, using: &dice))
    let textKey = RandomFilter.pick([["title"], ["blog", "title"], ["mood"]], &dice)
    let quantifier = RandomFilter.pick(Filter.Quantifier.allCases, &dice)
    switch Int.random(in: 0..<13, using: &dice) {
    case 0, 1: return .init(numeric(&dice), order(&dice), number(&dice))
    case 2: return .init(number(&dice), order(&dice), numeric(&dice))
    case 3: return .init(numeric(&dice), .between, .list([number(&dice), number(&dice)]))
    case 4: return .init(numeric(&dice), .isIn, .list((0..<3).map { _ in number(&dice) }))
    case 5: return .init(.key(textKey), order(&dice), text, options: options)
    case 6:
      return .init(
        .key(textKey), RandomFilter.pick([.beginsWith, .endsWith, .like, .contains], &dice), text,
        options: options)
    case 7: return .init(.key("title"), .isIn, .list([text, "a", "b"]), options: options)
    case 8:
      return .init(
        .key("postDate"), order(&dice),
        RandomFilter.pick(
          ["2001-01-02", .literal(.date(Date(timeIntervalSinceReferenceDate: 0)))], &dice))
    case 9:
      let key = RandomFilter.pick(["likes", "title", "blog", "score", "mood", "tags"], &dice)
      return .init(.key(key), RandomFilter.pick([.equal, .notEqual], &dice), nil)
    case 10:
      return .init(
        .key(RandomFilter.pick([["tags"], ["comments", "text"]], &dice)),
        RandomFilter.pick([.equal, .beginsWith, .less], &dice), text, quantifier: quantifier)
    case 11:
      return .init(.key("blog"), order(&dice).equality, .literal(.reference(Blogs.id("Blog", 2))))
    default: return .init(.key("flag"), order(&dice), RandomFilter.pick([true, false, 1], &dice))
    }
  }
}

extension Filter.Relation {
  /// The relation, where objects can stand in it.
  fileprivate var equality: Filter.Relation { self == .notEqual ? .notEqual : .equal }
}
