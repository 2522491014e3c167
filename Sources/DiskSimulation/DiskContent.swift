/// The number of a file or folder on its disk.
typealias NodeNumber = UInt64

/// The names in a simulated folder: those a look shows, and those a loss of power leaves.
struct FolderContent: Hashable, Sendable {
  var live: [String: NodeNumber] = [:]
  var durable: [String: NodeNumber] = [:]
  /// Whether another folder has taken the place of this one.
  var isRemoved = false
}

/// A change of the names in a folder that is not durable yet.
struct NameOperation: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case make
    case rename(to: String)
    case remove
  }

  let kind: Kind
  let folder: NodeNumber
  /// The path of the folder, for messages.
  let folderPath: String
  let name: String
  let node: NodeNumber

  /// The names it changes.
  var names: Set<String> {
    if case .rename(let newName) = kind { [name, newName] } else { [name] }
  }

  /// Carries the change out on durable names, unless it does not apply to them.
  func apply(to names: inout [String: NodeNumber]) {
    switch kind {
    case .make:
      if names[name] == nil { names[name] = node }
    case .rename(let newName):
      guard names[name] == node else { return }
      names[name] = nil
      names[newName] = node
    case .remove:
      if names[name] == node { names[name] = nil }
    }
  }
}

extension NameOperation: CustomStringConvertible {
  var description: String {
    let path = joined(folderPath, name)
    switch kind {
    case .make: return "make \(path)"
    case .rename(let newName): return "rename \(path) to \(newName)"
    case .remove: return "remove \(path)"
    }
  }
}

/// A name in a folder as a path.
func joined(_ folderPath: String, _ name: String) -> String {
  folderPath.isEmpty ? name : folderPath + "/" + name
}

/// Everything that is on a simulated disk. A copy costs nothing until one of the two changes.
struct DiskContent: Sendable {
  static let root: NodeNumber = 2

  var files: [NodeNumber: FileContent] = [:]
  var folders: [NodeNumber: FolderContent] = [root: FolderContent()]
  /// Changes of names that are not durable, in the order they were made.
  var pendingNames: [NameOperation] = []
  private var lastNode = root

  /// A number that no file or folder has had on this disk.
  mutating func freshNode() -> NodeNumber {
    lastNode += 1
    return lastNode
  }

  /// The content of a file; an empty one for a number that is no file's.
  subscript(file node: NodeNumber) -> FileContent {
    get { files[node, default: FileContent()] }
    _modify { yield &files[node, default: FileContent()] }
  }

  /// The names in a folder; none for a number that is no folder's.
  subscript(folder node: NodeNumber) -> FolderContent {
    get { folders[node, default: FolderContent()] }
    _modify { yield &folders[node, default: FolderContent()] }
  }

  func entries(of folder: NodeNumber) -> [String: NodeNumber] { self[folder: folder].live }

  /// Puts a file in, as something to be made durable by a sync of the folder.
  mutating func makeFile(_ name: String, in folder: NodeNumber, _ path: String) -> NodeNumber {
    let node = freshNode()
    files[node] = FileContent()
    put(node, name, in: folder, path)
    return node
  }

  /// Puts a folder in, as something to be made durable by a sync of the folder around it.
  mutating func makeFolder(_ name: String, in folder: NodeNumber, _ path: String) -> NodeNumber {
    let node = freshNode()
    folders[node] = FolderContent()
    put(node, name, in: folder, path)
    return node
  }

  private mutating func put(
    _ node: NodeNumber, _ name: String, in folder: NodeNumber, _ path: String
  ) {
    self[folder: folder].live[name] = node
    pendingNames.append(
      NameOperation(kind: .make, folder: folder, folderPath: path, name: name, node: node))
  }

  /// Gives a node another name, which is free or whose holder gives way.
  mutating func rename(
    _ node: NodeNumber, _ name: String, to newName: String, in folder: NodeNumber, _ path: String
  ) {
    self[folder: folder].live[name] = nil
    self[folder: folder].live[newName] = node
    pendingNames.append(
      NameOperation(
        kind: .rename(to: newName), folder: folder, folderPath: path, name: name, node: node))
  }

  /// Takes a name away.
  mutating func remove(
    _ node: NodeNumber, _ name: String, in folder: NodeNumber, _ path: String
  ) {
    self[folder: folder].live[name] = nil
    pendingNames.append(
      NameOperation(kind: .remove, folder: folder, folderPath: path, name: name, node: node))
  }

  /// How many names a node has.
  func linkCount(of node: NodeNumber) -> Int {
    folders.values.reduce(0) { count, folder in
      count + folder.live.values.count { $0 == node }
    }
  }

  /// Makes the changes of a folder's names durable, or those of them that are chosen; the others stay
  /// pending, and so does what was done later to the same file or the same names.
  mutating func syncNames(of folder: NodeNumber, where isChosen: (Int) -> Bool = { _ in true }) {
    var left: [NameOperation] = []
    var (leftNodes, leftNames) = (Set<NodeNumber>(), Set<String>())
    var index = 0
    for operation in pendingNames {
      guard operation.folder == folder else {
        left.append(operation)
        continue
      }
      let isLeft =
        !isChosen(index) || leftNodes.contains(operation.node)
        || !leftNames.isDisjoint(with: operation.names)
      if isLeft {
        left.append(operation)
        leftNodes.insert(operation.node)
        leftNames.formUnion(operation.names)
      } else {
        operation.apply(to: &self[folder: folder].durable)
      }
      index += 1
    }
    pendingNames = left
  }

  /// Makes one name in a folder durable, with what is pending of the same file and of the names that it had; the
  /// changes of other names stay pending.
  mutating func settleName(_ name: String, in folder: NodeNumber) {
    let operations = pendingNames.filter { $0.folder == folder }
    var (names, nodes, chosen) = (Set([name]), Set<NodeNumber>(), Set<Int>())
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for (index, operation) in operations.enumerated()
      where !names.isDisjoint(with: operation.names) || nodes.contains(operation.node) {
        guard chosen.insert(index).inserted else { continue }
        names.formUnion(operation.names)
        nodes.insert(operation.node)
        isGrowing = true
      }
    }
    syncNames(of: folder) { chosen.contains($0) }
  }

  /// Drops the files that no name, no pending change and nobody else refers to.
  mutating func dropUnreachable(except isHeld: (NodeNumber) -> Bool) {
    // There are few: looking at each takes less than a set of them does.
    var reachable = pendingNames.map(\.node)
    for folder in folders.values {
      reachable.append(contentsOf: folder.live.values)
      reachable.append(contentsOf: folder.durable.values)
    }
    for node in files.keys where !isHeld(node) && !reachable.contains(node) { files[node] = nil }
  }

  /// The number a path stands for among the live or the durable names, or nil.
  func node(
    at path: String, _ names: KeyPath<FolderContent, [String: NodeNumber]>
  ) -> NodeNumber? {
    var node = Self.root
    for component in components(of: path) {
      guard let next = folders[node]?[keyPath: names][component] else { return nil }
      node = next
    }
    return node
  }

  /// The paths of all files that can be reached by the live or the durable names.
  func filePaths(_ names: KeyPath<FolderContent, [String: NodeNumber]>) -> [String: NodeNumber] {
    var paths: [String: NodeNumber] = [:]
    var open: [(path: String, node: NodeNumber)] = [("", Self.root)]
    while let (path, node) = open.popLast() {
      guard let folder = folders[node] else {
        paths[path] = node
        continue
      }
      for (name, child) in folder[keyPath: names] { open.append((joined(path, name), child)) }
    }
    return paths
  }
}

/// The names along a path.
func components(of path: String) -> [String] {
  path.split(separator: "/").map(String.init).filter { $0 != "." }
}
