/// A path as far as its text says where it leads.
struct StorePath {
  private let isAbsolute: Bool
  private var names: [Substring] = []

  init(_ path: String) {
    isAbsolute = path.hasPrefix("/")
    for name in path.split(separator: "/") where name != "." {
      if name == "..", let last = names.last, last != ".." {
        names.removeLast()
      } else if name != ".." || !isAbsolute {
        names.append(name)
      }
    }
  }

  /// Whether it leads into the folder of another, or to that itself. Of an absolute path and another that is not the
  /// texts do not say it.
  func isWithin(_ folder: StorePath) -> Bool {
    isAbsolute == folder.isAbsolute && names.starts(with: folder.names)
  }
}
