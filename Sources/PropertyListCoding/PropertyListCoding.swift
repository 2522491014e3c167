// PropertyListCoding: binary property lists: a strict, bounded, lazy reader, and a writer. Knows no files.
