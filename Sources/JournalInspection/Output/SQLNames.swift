/// What tables and columns are called where not every name can be one: SQL does not tell capitals apart.
enum SQLNames {
  /// Names of which no two are the same to SQL. The first of such that are keeps its name; the others are numbered, by
  /// numbers that make none of the names there are.
  static func unique(_ names: [String]) -> [String] {
    var taken = Set(names.map { $0.lowercased() })
    var seen: Set<String> = []
    return names.map { name in
      let plain = writable(name)
      guard plain != name || !seen.insert(name.lowercased()).inserted else { return name }
      var number = plain == name ? 2 : 1
      while true {
        let numbered = number == 1 ? plain : "\(plain) \(number)"
        if taken.insert(numbered.lowercased()).inserted { return numbered }
        number += 1
      }
    }
  }

  /// A name without what a statement cannot have in one, and what SQLite keeps to itself.
  private static func writable(_ name: String) -> String {
    let text = name.escaping { $0.value == 0 ? "\u{FFFD}" : nil }
    return text.lowercased().hasPrefix("sqlite_") ? "_\(text)" : text
  }
}
