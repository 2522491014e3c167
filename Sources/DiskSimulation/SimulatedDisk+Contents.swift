public import DiskAccess

/// Looking at a disk and setting it up, without the calls of the seam: nothing here is counted, traced,
/// told to the hook, or made to fail.
extension SimulatedDisk {
  /// The paths of all files that a program would find, sorted.
  public var paths: [String] {
    lock.withLock { simulation.content.filePaths(\.live).keys.sorted() }
  }

  /// The bytes of a file as a read would show them; nil where there is no such file.
  public func contents(of path: String) -> [UInt8]? {
    lock.withLock {
      guard let node = simulation.content.node(at: path, \.live) else { return nil }
      simulation.content.files[node]?.takeInMapping()
      return simulation.content.files[node]?.live
    }
  }

  /// The bytes of a file that nothing can take away; nil where there is no durable file of that path.
  public func durableContents(of path: String) -> [UInt8]? {
    lock.withLock {
      guard let node = simulation.content.node(at: path, \.durable) else { return nil }
      return simulation.content.files[node]?.durable
    }
  }

  /// Puts a file in place, its bytes, its name and the folders on its path durable at once. A file that
  /// is there gets the new bytes and stays the same file, whoever has it open.
  ///
  /// - Throws: `.isFolder` or `.notFolder` where a folder stands in the way or a file on the path, and
  ///   `.invalid` where the path names nothing.
  public func setContents(_ path: String, _ bytes: [UInt8]) throws(DiskError) {
    let names = components(of: path)
    guard let name = names.last, !names.contains("..") else {
      throw DiskError(.openFile, path, .invalid)
    }
    let folderPath = names.dropLast().joined(separator: "/")
    let folder = try makeFolders(at: folderPath)
    try lock.withLock { () throws(DiskError) in
      let found = simulation.content.entries(of: folder)[name]
      if let found, simulation.content.folders[found] != nil {
        throw DiskError(.openFile, path, .isFolder)
      }
      let node = found ?? simulation.content.makeFile(name, in: folder, folderPath)
      simulation.content.settleName(name, in: folder)
      simulation.content[file: node].settle(bytes)
    }
  }

  /// Gives a file another name, durable at once.
  ///
  /// - Throws: `.notFound` where there is no such file, and as `setContents` does.
  public func link(_ path: String, to newPath: String) throws(DiskError) {
    try setContents(newPath, [])
    try lock.withLock { () throws(DiskError) in
      let names = components(of: newPath)
      guard let node = simulation.content.node(at: path, \.live),
        simulation.content.files[node] != nil, let name = names.last,
        let folder = simulation.content.node(
          at: names.dropLast().joined(separator: "/"), \.live)
      else { throw DiskError(.openFile, path, .notFound) }
      simulation.content[folder: folder].live[name] = node
      simulation.content[folder: folder].durable[name] = node
    }
  }

  /// Makes a folder and those on its path, durable at once. Those that are there stay.
  ///
  /// - Throws: `.notFolder` where a file stands in the way, and `.invalid` for a path with "..".
  public func makeFolders(_ path: String) throws(DiskError) {
    _ = try makeFolders(at: path)
  }

  private func makeFolders(at path: String) throws(DiskError) -> NodeNumber {
    try lock.withLock { () throws(DiskError) in
      var node = DiskContent.root
      var reached = ""
      for name in components(of: path) {
        guard name != ".." else { throw DiskError(.makeFolder, path, .invalid) }
        let next = simulation.content.entries(of: node)[name]
        if let next, simulation.content.folders[next] == nil {
          throw DiskError(.makeFolder, path, .notFolder)
        }
        let child = next ?? simulation.content.makeFolder(name, in: node, reached)
        simulation.content.settleName(name, in: node)
        (node, reached) = (child, joined(reached, name))
      }
      return node
    }
  }
}
