internal import DiskAccess
internal import EventCoding
internal import Journaling
public import ObjectModel
package import Synchronization

/// A store as those see it who look at it: its objects, and all that was.
///
/// Any thread may use it.
public class ReadableStore: @unchecked Sendable {
  /// The store's folder.
  public let path: String
  /// The store's folder, whatever its name becomes.
  let folder: any ReadableFolder
  let store: StoreTag
  let limits: HoldingLimits
  let decoder: EventDecoder
  let pastCommits: PastCommits
  /// What the program has beside the model's descriptions, or what was made of it.
  package let program = Mutex<(any Sendable)?>(nil)

  let cataloguing = Lock()
  /// Guarded by `cataloguing`.
  var catalogue: Catalogue

  let commitWatches = CommitWatches()

  private let publishing = Lock()
  /// Guarded by `publishing`.
  private var published: SharedSnapshot

  init(
    path: String, in folder: any ReadableFolder, _ manifest: Manifest, _ fold: StoreFold,
    pastByteCount: Int, limits: HoldingLimits
  ) throws(StoreError) {
    self.path = path
    self.folder = folder
    store = fold.snapshot.store
    self.limits = limits
    decoder = EventDecoder(
      store: store, room: limits.valueCount, largestEditByteCount: limits.editByteCount)
    catalogue = fold.catalogue
    published = SharedSnapshot(fold.snapshot)
    pastCommits = try PastCommits(
      in: folder, path: path, manifest, decoder, largestByteCount: pastByteCount)
  }

  /// What tells the store's objects from others'.
  package var tag: StoreTag { store }

  /// The journal's manifest as it is.
  var manifest: Manifest { preconditionFailure("every kind of store knows its manifest") }

  /// Has everything that happened so far, as far as it is shown, be in the journal's frames.
  ///
  /// - Returns: the last of them, which is durable, and so are those before it.
  func settle() throws(StoreError) -> FrameNumber {
    preconditionFailure("every kind of store knows how far it shows its journal")
  }

  /// What happened that is in no frame when all is settled, with the names of its keys; nil where nothing is.
  func unsealed() throws(StoreError) -> (events: [Event], keys: KeyNames)? { nil }

  /// The state of the last commit that is made.
  package var head: Snapshot { sharedHead.snapshot }

  /// The same for whoever looks at it only once: it is not copied.
  package var sharedHead: SharedSnapshot { publishing.withLock { published } }

  /// The number of that commit.
  var headNumber: CommitNumber { sharedHead.snapshot.number }

  /// The model of the store; nil where it never had one.
  public var model: ManagedObjectModel? { head.era?.model }

  /// The commits that have names.
  public var tags: [String: CommitNumber] { cataloguing.withLock { catalogue.tags } }

  /// The number of a key that has one.
  package func existingKey(named name: String) -> KeyNumber? {
    cataloguing.withLock { catalogue.keys[name] }
  }

  /// The names of all keys that objects ever had, in the order of their numbers.
  package var keyNames: [String] { cataloguing.withLock { catalogue.keys.names } }

  /// The name of a key.
  package func name(of key: KeyNumber) -> String? { cataloguing.withLock { catalogue.keys[key] } }

  /// The name of a key as it is told: nothing where it has none, which is a fault of the journal that others tell.
  package func nameTold(of key: KeyNumber) -> String { name(of: key) ?? "" }

  /// Shows readers a later state.
  func publish(_ state: SharedSnapshot) {
    publishing.withLock {
      if published.number < state.number { published = state }
    }
    commitWatches.tell()
  }

  /// Shows readers the same state in other layers, or another one, whatever they were shown before.
  func publish(anew state: SharedSnapshot) {
    let isLater = publishing.withLock {
      defer { published = state }
      return published.number < state.number
    }
    if isLater { commitWatches.tell() }
  }

  /// Puts other layers, which say the same, in the place of those below the first.
  func replacePublishedLayers(belowTop layers: [Layer], _ indexRuns: [IndexRun]) {
    publishing.withLock {
      published = published.changed { $0.replaceLayers(belowTop: layers, indexRuns) }
    }
  }
}
