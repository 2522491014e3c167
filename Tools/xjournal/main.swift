// The tool xjournal: arguments in, status out. What it can do is in JournalInspection and JournalUpkeep.

import DiskAccess
import JournalInspection
import JournalUpkeep

let disk = PosixDisk()
let table = CommandTable(
  CommandTable.looking,
  writing: Command.writing(on: disk) { Terminal.run($0, $1) }, kinds: JSONKind.writing)
let tool = Tool(table, on: disk, Terminal())
let status = tool.run(
  Array(CommandLine.arguments.dropFirst()), areText: Terminal.argumentsAreText)
Terminal.exit(status.rawValue)
