// JournalUpkeep: the commands of the tool xjournal that write: tag, restore, patch, import, repair, compact.

package import DiskAccess
package import JournalInspection

extension Command {
  /// The commands that write, on a disk that lets them.
  package static func writing(on disk: any Disk) -> [Command] { [] }
}
