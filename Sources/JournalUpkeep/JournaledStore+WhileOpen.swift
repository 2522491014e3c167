internal import DiskAccess
internal import JournalInspection
internal import Journaling
internal import ObjectStore

extension JournaledStore {
  /// Opens a store that is there, has a closure use it, and gives it back.
  static func whileOpen<Answer>(
    on disk: any Disk, at path: String, with options: StoreOptions = .inPlace,
    _ body: (JournaledStore) throws(ToolError) -> Answer
  ) throws(ToolError) -> Answer {
    let store = try onStore { () throws(StoreError) in
      try JournaledStore(on: disk, at: path, model: nil, options: options)
    }
    let answer: Answer
    do throws(ToolError) {
      answer = try body(store)
    } catch {
      // The first error is the one to tell.
      try? store.close()
      throw error
    }
    try onStore { () throws(StoreError) in try store.close() }
    return answer
  }
}

extension StoreOptions {
  /// How a journal is open that is changed in place.
  static let inPlace: StoreOptions = {
    var options = StoreOptions()
    options.makesStore = false
    return options
  }()

  /// How a journal is open that is being made: what is in it is synced in the end, and it is no whole one until then.
  static let ofCopies: StoreOptions = {
    var options = inPlace
    options.durability = .written
    options.journal.staysMarked = true
    return options
  }()
}
