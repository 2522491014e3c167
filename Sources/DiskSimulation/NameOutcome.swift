/// The names that a loss of power may leave: which of the pending changes are kept.
final class NameOutcome: Sendable {
  /// Whether each of the pending changes is kept.
  let isKept: [Bool]
  /// The folders that can be reached, their names durable.
  let folders: [NodeNumber: FolderContent]
  /// The files that can be reached, with what of them is durable.
  let files: [NodeNumber: FileContent]
  /// Those of the files that more may be left of, as positions in `PowerLoss.files`.
  let pendingFiles: [Int]
  /// How many states there are with these names; nil if they cannot be counted.
  let combinationCount: UInt64?

  init(
    _ isKept: [Bool], of content: DiskContent, settled: [NodeNumber: FileContent],
    pending: [FileChoices]
  ) {
    self.isKept = isKept
    var names = content.folders.mapValues(\.durable)
    for (operation, isKept) in zip(content.pendingNames, isKept) where isKept {
      operation.apply(to: &names[operation.folder, default: [:]])
    }
    var folders: [NodeNumber: FolderContent] = [:]
    var files: [NodeNumber: FileContent] = [:]
    var open = [DiskContent.root]
    while let node = open.popLast() {
      if let entries = names[node] {
        folders[node] = FolderContent(live: entries, durable: entries)
        open.append(contentsOf: entries.values)
      } else {
        files[node] = settled[node]
      }
    }
    self.folders = folders
    self.files = files
    pendingFiles = pending.indices.filter { files[pending[$0].node] != nil }
    combinationCount = product(pendingFiles.map { pending[$0].combinationCount })
  }
}
