// ManagedObjects: contexts, objects, faults, undo, refresh, save, observation, fetch. Knows no files, no frames.
