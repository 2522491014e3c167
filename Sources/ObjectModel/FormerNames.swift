/// What can have had another name in the model before.
protocol Renamable {
  var name: String { get }
  var renamingIdentifier: String? { get }
}

extension EntityDescription: Renamable {}

/// Finds what each of the newer ones was among the older.
///
/// A newer one that names a former name was the older one of that name, or the one that names the same
/// former name. Without a former name, or with one that leads nowhere, it was the one of its own name,
/// unless another claims that one: then it is new.
struct FormerNames<Item: Renamable> {
  /// The older ones by the newer names.
  private(set) var formers: [String: Item] = [:]
  /// The older ones that several claim, each with the names of those that do.
  private(set) var disputes: [(former: Item, claimants: [String])] = []

  init(of newer: [Item], in older: [Item]) {
    let byName = Dictionary(firstOf: older.map { ($0.name, $0) })
    let byIdentifier = Dictionary(
      firstOf: older.compactMap { item in item.renamingIdentifier.map { ($0, item) } })
    func claimed(by item: Item) -> Item? {
      guard let identifier = item.renamingIdentifier else { return nil }
      // Renamed before the older model was made, and since then the same.
      if let same = byName[item.name], same.renamingIdentifier == identifier { return same }
      return byName[identifier] ?? byIdentifier[identifier]
    }
    var claimants: [String: [String]] = [:]
    for item in newer {
      guard let former = claimed(by: item) else { continue }
      formers[item.name] = former
      claimants[former.name, default: []].append(item.name)
    }
    for item in newer where formers[item.name] == nil && claimants[item.name] == nil {
      formers[item.name] = byName[item.name]
    }
    disputes = older.compactMap { item in
      claimants[item.name].flatMap { $0.count > 1 ? (item, $0) : nil }
    }
  }
}
