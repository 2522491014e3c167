internal import DiskAccess
internal import Journaling
internal import ObjectStore

/// The place of a journal that is followed, where another may be put.
struct FollowedPlace {
  private let path: String
  private let disk: any ReadableDisk
  /// The folder of the segments, which stays the same as long as the journal is there.
  private let folder: FileInformation?

  init(_ request: Request) throws(ToolError) {
    (path, disk) = (try request.path(), request.disk)
    folder = try Self.folder(at: path, on: disk)
  }

  private static func folder(
    at path: String, on disk: any ReadableDisk
  ) throws(ToolError) -> FileInformation? {
    do throws(DiskError) {
      return try disk.folderForReading(at: path).information(of: JournalFiles.journalFolder)
    } catch {
      guard error.code == .notFound || error.meetsNoFolder else { throw ToolError(error) }
      return nil
    }
  }

  /// Refuses to go on where the journal is there no more: what is open leads to it all the same.
  func refuseReplaced() throws(ToolError) {
    let found = try Self.folder(at: path, on: disk)
    guard found?.device != folder?.device || found?.node != folder?.node else { return }
    throw ToolError(
      .noJournal,
      found == nil
        ? "the journal at “\(path)” is there no more."
        : "the journal at “\(path)” is another one now; follow that anew.")
  }
}

extension Request {
  private static let pauseMilliseconds = 200

  /// Follows a journal until nobody reads any more, or nothing more can come.
  ///
  /// - Parameter body: tells what has come.
  func follow(
    _ store: StoreReader, at place: FollowedPlace?, _ body: () throws(StoreError) -> Void
  ) throws(ToolError) -> ExitStatus {
    while !store.endsAtDamage, output.isOpen,
      output.console.pause(milliseconds: Self.pauseMilliseconds)
    {
      output.flush()
      try place?.refuseReplaced()
      do throws(StoreError) {
        if try store.refresh() { try body() }
      } catch {
        // Of what is just being removed the rest looks like damage.
        _ = output.console.pause(milliseconds: Self.pauseMilliseconds)
        try place?.refuseReplaced()
        throw ToolError(error)
      }
      output.flush()
    }
    return .fine
  }
}
