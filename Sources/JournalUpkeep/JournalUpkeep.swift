// JournalUpkeep: the commands of the tool xjournal that write: tag, restore, patch, import, repair, compact.
