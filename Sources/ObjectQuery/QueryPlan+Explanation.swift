internal import FoundationEssentials
internal import ObjectModel

extension QueryPlan {
  /// What is done to answer a query, for people: `index on rank from 10 to 20, then test mood == "sunny";
  /// sort by title in memory, top 100`.
  package func explanation(of query: BoundQuery) -> String {
    var text =
      switch access {
      case .all: "all objects of \(query.entity)"
      case .nothing: "nothing, as no object can pass"
      case .index(let scan): "index on \(scan.text)"
      case .union(let scans):
        "index on " + scans.map(\.text).joined(separator: ", or on ") + ", each object once"
      }
    if let rest { text += ", then test \(rest.filter)" }
    if !query.sort.isEmpty {
      let keys = query.sort.map { key in
        "\(key.source.operand)\(key.options)" + (key.isDescending ? " descending" : "")
      }
      text += "; sort by \(keys.joined(separator: ", ")) "
      text += walk == nil ? "in memory" : "along its index"
    }
    if let limit = query.limit {
      text += query.sort.isEmpty ? "; first \(limit)" : ", top \(limit)"
    }
    if query.offset > 0 { text += " after \(query.offset)" }
    return text
  }
}

extension IndexScan {
  fileprivate var text: String {
    if breadth == .several {
      return "\(name) among " + ranges.compactMap { $0.single?.queryText }.joined(separator: ", ")
    }
    return "\(name) " + ranges.map(\.text).joined(separator: " and ")
  }
}

extension ValueRange {
  fileprivate var text: String {
    if let single { return "at \(single.queryText)" }
    let parts = [
      lower.flatMap {
        $0.value.isInfinite ? nil : ($0.isIncluded ? "from " : "above ") + $0.value.queryText
      },
      upper.flatMap {
        $0.value.isInfinite ? nil : ($0.isIncluded ? "to " : "below ") + $0.value.queryText
      },
    ].compactMap(\.self)
    return parts.isEmpty ? "wherever there is a value" : parts.joined(separator: " ")
  }
}

extension Value {
  fileprivate var isInfinite: Bool {
    switch self {
    case .real(let value): value.isInfinite
    case .date(let value): value.timeIntervalSinceReferenceDate.isInfinite
    default: false
    }
  }
}
