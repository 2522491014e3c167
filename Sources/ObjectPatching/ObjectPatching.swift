// ObjectPatching: diff and patch of object graphs, and their JSON. Knows no files.
