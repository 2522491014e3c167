public import ObjectModel

/// Why a batch cannot be made. Nothing of it is in the store.
public enum BatchError: Error, Hashable, Sendable {
  /// The model has no such entity; the nearest it has, if there is one.
  case entityMissing(String, nearest: String?)
  /// An entity is abstract: it has no objects of its own.
  case entityAbstract(String)
  /// An entity has no such key; the nearest it has, if there is one.
  case keyMissing(entity: String, key: String, nearest: String?)
  /// An entity has no such key, but one that inherits from it has, which says what values it takes.
  case keyOfHeir(entity: String, key: String, heir: String)
  /// A key is computed or transient: no commit has it.
  case keyNotStored(entity: String, key: String)
  /// A key is named twice.
  case keyTwice(entity: String, key: String)
  /// A row has more or fewer values than there are keys.
  case valueCountWrong(row: Int, Int, keys: Int)
  /// A key does not take a value; the row, where rows were given.
  case valueRefused(row: Int?, entity: String, key: String, Value, takes: String)
  /// A relationship was to lead to an object that it cannot lead to, or that is not there.
  case destinationMissing(row: Int?, entity: String, key: String, ObjectID)
  /// Another object has the identifier, in the store or in the batch.
  case identifierTaken(row: Int?, entity: String, key: String, Value)
  /// A row cannot be saved as it is.
  case rowInvalid(Int, ValidationErrors)
}

/// A batch that was to be several commits was broken off: what was committed before stays.
public struct BatchInterrupted: Error, CustomStringConvertible {
  /// What was committed.
  public let done: BatchResult
  /// Why it ended there.
  public let reason: any Error

  /// What happened, and what to do.
  public var description: String {
    "The batch was broken off after \(done.count) objects in \(done.commits.count) commits, which stay: \(reason)"
  }
}

extension BatchError: CustomStringConvertible {
  /// What happened, and what to do.
  public var description: String {
    func suggestion(_ nearest: String?) -> String {
      nearest.map { "; did you mean ‘\($0)’?" } ?? "."
    }
    func place(_ row: Int?) -> String { row.map { " in row \($0)" } ?? "" }
    return switch self {
    case .entityMissing(let name, let nearest):
      "The model has no entity ‘\(name)’\(suggestion(nearest))"
    case .entityAbstract(let name):
      "\(name) is abstract; insert objects of an entity that inherits from it."
    case .keyMissing(let entity, let key, let nearest):
      "\(entity) has no key ‘\(key)’\(suggestion(nearest)) Dynamic attributes are taken where the batch's options "
        + "allow them."
    case .keyOfHeir(let entity, let key, let heir):
      "\(entity) has no key ‘\(key)’, and \(heir), which inherits from it, has; make a batch of objects of \(heir)."
    case .keyNotStored(let entity, let key):
      "\(entity).\(key) is transient or computed, so that no commit has it; leave it out."
    case .keyTwice(let entity, let key):
      "\(entity).\(key) is named twice; name each key once."
    case .valueCountWrong(let row, let count, let keys):
      "Row \(row) has \(count) values, and there are \(keys) keys; give one for each, nil for none."
    case .valueRefused(let row, let entity, let key, let value, let takes):
      "\(entity).\(key) cannot be \(value)\(place(row)), which is \(value.kind); it takes \(takes)."
    case .destinationMissing(let row, let entity, let key, let object):
      "\(entity).\(key) cannot lead to \(object)\(place(row)): it is not there, or of another entity or store."
    case .identifierTaken(let row, let entity, let key, let value):
      "There is another object whose \(entity).\(key) is \(value)\(place(row)); update that one, or give this one "
        + "another identifier."
    case .rowInvalid(let row, let errors): "Row \(row) cannot be saved: \(errors)"
    }
  }
}
