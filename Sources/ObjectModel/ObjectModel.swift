// ObjectModel: values, object IDs, the model, events and commits. Knows no bytes, no disk, no context.
