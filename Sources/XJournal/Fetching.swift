public import Foundation
public import ManagedObjects
internal import ObjectQuery

// Fetching sorted by descriptors, which are Foundation's.
extension ManagedObjectContext {
  /// The objects of a class that a predicate is true of, in the order of descriptors.
  ///
  /// Costs: descriptors of numbers, dates and the like, and of texts with the comparator `.lexical`, are sorted by where
  /// the objects are found, and with a limit no more are made than that. Others, and those of computed properties, are
  /// asked of each object that is found. Texts that are sorted where they are found are so by their bytes, as everywhere
  /// in the store: that is what `.lexical` says of composed characters, which nearly all texts are written in.
  ///
  /// - Throws: as `fetch(_:where:sortedBy:limit:offset:)` with sort keys.
  public func fetch<Object: ManagedObject>(
    _ type: Object.Type, where predicate: Predicate<Object>? = nil,
    sortedBy descriptors: [SortDescriptor<Object>], limit: Int? = nil, offset: Int = 0
  ) throws -> [Object] {
    let keys = descriptors.map { sortKey($0) }
    if keys.allSatisfy({ $0 != nil }) {
      let keys = keys.compactMap(\.self)
      guard let predicate else {
        return try fetch(type, where: .all, sortedBy: keys, limit: limit, offset: offset)
      }
      return try fetch(type, where: predicate, sortedBy: keys, limit: limit, offset: offset)
    }
    let none: [SortKey] = []
    let found =
      if let predicate { try fetch(type, where: predicate, sortedBy: none) } else {
        try fetch(type, where: .all, sortedBy: none)
      }
    let sorted = found.sorted(using: descriptors).dropFirst(max(0, offset))
    return Array(limit.map { sorted.prefix(max(0, $0)) } ?? sorted)
  }

  /// The key that sorts as a descriptor does; nil where none does.
  private func sortKey<Object: ManagedObject>(_ descriptor: SortDescriptor<Object>) -> SortKey? {
    guard let path = descriptor.keyPath, let name = sortingKey(of: path) else { return nil }
    switch Swift.type(of: path).valueType {
    case is String.Type, is String?.Type:
      guard descriptor.stringComparator == .lexical else { return nil }
    case is Int.Type, is Int?.Type, is Double.Type, is Double?.Type, is Date.Type, is Date?.Type,
      is Bool.Type, is Bool?.Type, is Decimal.Type, is Decimal?.Type:
      break
    default: return nil
    }
    return SortKey(name, descending: descriptor.order == .reverse)
  }
}
