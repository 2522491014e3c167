public import ObjectModel

/// Where a wrapper finds the value of its property: in an object, under a number. It is all that a wrapper holds
/// (docs/decisions/0016).
public struct PropertyPlace {
  /// The address of the object's state, and in the upper 16 bits, which addresses of memory leave free that is not
  /// tagged, the how-manieth wrapper of the object it is: an object has one of these for each of its properties.
  private let bits: UInt

  private static let ordinalShift: UInt = 48

  init(_ state: Unmanaged<ObjectState>?, _ ordinal: Int) {
    let address = state.map { UInt(bitPattern: $0.toOpaque()) } ?? 0
    precondition(
      address >> Self.ordinalShift == 0 && ordinal >> 16 == 0,
      "a class has more than 65,536 properties, or memory is tagged or beyond 256 TiB")
    bits = address | UInt(ordinal) << Self.ordinalShift
  }

  /// The how-manieth wrapper of the object it is.
  var ordinal: Int { @inline(__always) get { Int(bits >> Self.ordinalShift) } }

  /// Nil for a prototype. It is not counted: the object holds both the state and the wrapper.
  private var state: Unmanaged<ObjectState>? {
    @inline(__always) get {
      UnsafeRawPointer(bitPattern: bits & (1 << Self.ordinalShift - 1))
        .map { Unmanaged.fromOpaque($0) }
    }
  }

  /// The place of the next wrapper of the object that is being made.
  @usableFromInline static func next() -> PropertyPlace { Construction.nextPlace() }

  /// Whether the object is made only to read what its class declares.
  @usableFromInline var isOfPrototype: Bool { state == nil }

  private var presentState: Unmanaged<ObjectState> {
    @inline(__always) get {
      guard let state else { Self.trapPrototype() }
      return state
    }
  }

  /// The object's state, which no prototype has.
  var present: ObjectState { presentState.takeUnretainedValue() }

  private static func trapPrototype() -> Never {
    preconditionFailure(
      "a property is used in the initialiser of an object that the model is read from; set values in "
        + "awakeFromInsert, or by a default.")
  }

  /// The value as it is stored.
  @usableFromInline func storedValue() -> Value? {
    presentState._withUnsafeGuaranteedRef { $0.storedValue(ofWrapper: ordinal) }
  }

  @usableFromInline func setStoredValue(_ value: Value?) {
    presentState._withUnsafeGuaranteedRef { $0.setStoredValue(value, ofWrapper: ordinal) }
  }

  /// What a property without a value is given, which cannot be nil.
  @usableFromInline func fallback<Content: AttributeConvertible>(_ type: Content.Type) -> Content {
    let wrapper = present.entity.wrappers[ordinal]
    if let content = Content(storedValue: wrapper.fallback) ?? Content(storedValue: nil) {
      return content
    }
    trapMissing()
  }

  func trapMissing() -> Never {
    preconditionFailure("\(name) has no value, and its default cannot be read.")
  }

  /// The entity and the key, for a sentence.
  var name: String {
    let entity = present.entity
    return "\(entity.name).\(entity.wrappers[ordinal].name)"
  }
}
