internal import FoundationEssentials
internal import ObjectModel

extension ValueTest {
  /// The name of the key that is tested.
  var keyName: String {
    for case .key(let path) in [source.left, source.right] {
      if let name = path.first { return name }
    }
    return ""
  }

  /// Whether it is about how texts begin.
  var isPrefix: Bool { source.relation == .beginsWith || source.relation == .like }

  /// Where the values lie that pass, all of one kind; nil where an index cannot tell.
  ///
  /// - Returns: also whether all that lies there passes.
  func ranges(of kind: Value.Kind) -> (ranges: [ValueRange], isExact: Bool)? {
    switch self.kind {
    case .integers(let lower, let upper):
      let value = { (number: Int) -> Value in kind == .counter ? .counter(number) : .integer(number)
      }
      let range = ValueRange(
        from: lower == .min ? nil : .init(value(lower), isIncluded: true),
        to: upper == .max ? nil : .init(value(upper), isIncluded: true))
      return lower > upper ? ([], true) : ([range], true)
    case .among(let values): return (values.map { ValueRange(equal: $0) }, true)
    case .relation(let relation, let constant):
      guard relation.options.isEmpty else { return nil }
      return Self.ranges(relation.relation, constant, kind)
    }
  }

  private static func ranges(
    _ relation: Filter.Relation, _ constant: Value, _ kind: Value.Kind
  ) -> (ranges: [ValueRange], isExact: Bool)? {
    switch relation {
    case .equal, .less, .lessOrEqual, .greater, .greaterOrEqual:
      guard constant.kind == kind else { return nil }
      if constant.isNotANumber { return ([], true) }
      let range = ValueRange(relation, constant)
      // A decimal that is no number comes before all others.
      return ([range], kind != .decimal || range.lower != nil)
    case .between:
      guard case .array(let bounds) = constant, bounds.count == 2,
        bounds.allSatisfy({ $0.kind == kind })
      else { return nil }
      if bounds.contains(where: \.isNotANumber) { return ([], true) }
      let range = ValueRange(.greaterOrEqual, bounds[0])
        .intersection(ValueRange(.lessOrEqual, bounds[1]))
      return ([range], true)
    case .isIn:
      guard case .array(let members) = constant, members.allSatisfy({ $0.kind == kind }) else {
        return nil
      }
      return (members.filter { !$0.isNotANumber }.map { ValueRange(equal: $0) }, true)
    case .beginsWith:
      guard kind == .string, let start = constant.string else { return nil }
      return ([ValueRange(beginningWith: start)], true)
    case .like:
      guard kind == .string, let pattern = constant.string else { return nil }
      let parts = LikePattern.parts(of: pattern)
      var start = ""
      for case .character(let character) in parts.prefix(while: { $0 != .any && $0 != .one }) {
        start.append(character)
      }
      let isWhole = !parts.contains(.any) && !parts.contains(.one)
      return (
        [isWhole ? ValueRange(equal: .string(start)) : ValueRange(beginningWith: start)], false
      )
    case .notEqual, .contains, .endsWith, .matches: return nil
    }
  }
}

extension ValueRange {
  /// The values that are the same as one.
  init(equal value: Value) { self.init(.equal, value) }

  /// The values that stand in a relation to one that is a number, if it can be.
  init(_ relation: Filter.Relation, _ value: Value) {
    // Zero is stored with either sign, and what is no number lies beyond the infinite.
    let (least, largest) = value.spellings
    let (first, last) = value.extremes
    let low = first.map { Bound($0, isIncluded: true) }
    let high = last.map { Bound($0, isIncluded: true) }
    switch relation {
    case .less: self.init(from: low, to: Bound(least, isIncluded: false))
    case .lessOrEqual: self.init(from: low, to: Bound(largest, isIncluded: true))
    case .greater: self.init(from: Bound(largest, isIncluded: false), to: high)
    case .greaterOrEqual: self.init(from: Bound(least, isIncluded: true), to: high)
    default:
      self.init(from: Bound(least, isIncluded: true), to: Bound(largest, isIncluded: true))
    }
  }

  /// The texts that begin with another.
  init(beginningWith start: String) {
    self.init(
      from: Bound(.string(start), isIncluded: true),
      to: start.next.map { Bound(.string($0), isIncluded: false) })
  }
}

extension String {
  /// The first text behind all that begin with this one; nil where there is none.
  fileprivate var next: String? {
    var scalars = Array(unicodeScalars)
    while let last = scalars.popLast() {
      // Between the two halves of the scalars there are numbers that are none.
      let number = last.value == 0xD7FF ? 0xE000 : last.value + 1
      guard let scalar = Unicode.Scalar(number) else { continue }
      var text = String.UnicodeScalarView()
      text.append(contentsOf: scalars)
      text.append(scalar)
      return String(text)
    }
    return nil
  }
}

extension Value {
  var isNotANumber: Bool {
    switch self {
    case .real(let value): value.isNaN
    case .date(let value): value.timeIntervalSinceReferenceDate.isNaN
    case .decimal(let value): value.isNaN
    default: false
    }
  }

  /// The least and the largest value that are the same as this one but stored differently.
  fileprivate var spellings: (Value, Value) {
    switch self {
    case .real(0): (.real(-0.0), .real(0.0))
    case .date(let value) where value.timeIntervalSinceReferenceDate == 0:
      (Self.moment(-0.0), Self.moment(0.0))
    default: (self, self)
    }
  }

  /// The least and the largest number of the kind, where what is no number lies beyond them.
  fileprivate var extremes: (Value?, Value?) {
    switch self {
    case .real: (.some(.real(-.infinity)), .some(.real(.infinity)))
    case .date: (.some(Self.moment(-.infinity)), .some(Self.moment(.infinity)))
    default: (.none, .none)
    }
  }

  private static func moment(_ seconds: Double) -> Value {
    .date(Date(timeIntervalSinceReferenceDate: seconds))
  }
}
