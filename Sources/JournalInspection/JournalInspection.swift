// JournalInspection: what the tool xjournal shows, through a disk that cannot lock, repair or write.
