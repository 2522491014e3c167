// ObjectStore: open, commit, snapshot, history, checkpoint, compaction. Knows no contexts, no undo.
