// The tool xjournal: arguments in, status out. What it can do is in JournalInspection and JournalUpkeep.

import DiskAccess
import JournalInspection
import JournalUpkeep

let disk = PosixDisk()
let tool = Tool(
  CommandTable(CommandTable.looking + Command.writing(on: disk)), on: disk, Terminal())
Terminal.exit(tool.run(Array(CommandLine.arguments.dropFirst())).rawValue)
