// XJournal: the one module that programs import; it re-exports what they need.

@_exported public import ManagedObjects
@_exported public import ObjectModel
@_exported public import ObjectPatching
@_exported public import ObjectQuery
@_exported public import ObjectStore
