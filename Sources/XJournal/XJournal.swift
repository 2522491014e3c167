// XJournal: the one module that programs import; it re-exports what they need.
