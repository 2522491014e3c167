internal import CThreadLocal
internal import ObjectModel

/// An object in the making. The wrappers of its properties are made before its initialiser runs, and find their
/// object by what the thread holds meanwhile (docs/decisions/0016). It lies on the stack of whoever makes the object.
struct Construction {
  /// The object's state; nil for a prototype.
  private let state: Unmanaged<ObjectState>?
  /// What a prototype is asked for; nil for an object.
  private let prototype: Unmanaged<Prototype>?
  /// How many wrappers have been made.
  private var wrapperCount = 0

  private init(_ state: ObjectState?, _ prototype: Prototype?) {
    self.state = state.map { Unmanaged.passUnretained($0) }
    self.prototype = prototype.map { Unmanaged.passUnretained($0) }
  }

  /// Makes the instance of an object.
  static func makeObject(_ state: ObjectState) -> ManagedObject {
    let info = state.entity
    var construction = Construction(state, nil)
    let object = construction.make { info.objectClass.init(ObjectSeed(state: state)) }
    precondition(
      construction.wrapperCount == info.wrappers.count,
      "\(info.objectClass) declares other properties each time it is made; every object of a class must declare "
        + "the same ones, and no other object may be made meanwhile.")
    return object
  }

  /// Makes an object that is there only for its wrappers to say what they declare.
  static func make(_ prototype: Prototype, _ body: () -> ManagedObject) -> ManagedObject {
    var construction = Construction(nil, prototype)
    return construction.make(body)
  }

  private mutating func make(_ body: () -> ManagedObject) -> ManagedObject {
    let outer = xj_thread_pointer()
    return withUnsafeMutablePointer(to: &self) { pointer in
      xj_set_thread_pointer(pointer)
      defer { xj_set_thread_pointer(outer) }
      return body()
    }
  }

  /// The place of the next wrapper of what this thread is making.
  static func nextPlace() -> PropertyPlace {
    guard let pointer = current else {
      preconditionFailure(
        "a property of a model is declared outside of a ManagedObject, or its object is made by hand; "
          + "objects are made by context.insert.")
    }
    let ordinal = pointer.pointee.wrapperCount
    pointer.pointee.wrapperCount = ordinal + 1
    return PropertyPlace(pointer.pointee.state, ordinal)
  }

  /// What this thread asks a prototype for.
  static var prototype: Prototype? { current?.pointee.prototype?.takeUnretainedValue() }

  private static var current: UnsafeMutablePointer<Construction>? {
    xj_thread_pointer()?.assumingMemoryBound(to: Construction.self)
  }
}

/// What the wrappers of a class declare.
final class Prototype {
  /// In the order in which the wrappers are made.
  private(set) var declarations: [PropertyDeclaration] = []
  /// What is wrong, by key, that only the wrapper can know.
  private(set) var problems: [(key: String, kind: ModelProblem.Kind)] = []

  func declare(_ declaration: PropertyDeclaration) { declarations.append(declaration) }

  func note(_ kind: ModelProblem.Kind, of key: String) { problems.append((key, kind)) }
}
