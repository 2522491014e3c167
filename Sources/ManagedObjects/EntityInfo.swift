package import ObjectModel

/// An entity as contexts use it: its properties by name and by number, and the class of its objects.
package final class EntityInfo: Sendable {
  package let number: EntityNumber
  package let entity: ModelEntity
  package let objectClass: ManagedObject.Type
  /// The attributes and then the relationships, with those that are inherited.
  package let properties: [Property]
  /// The numbers of the entities whose objects are objects of this one: its own first.
  package let kinds: [EntityNumber]
  /// Keys that are computed, or have accessors of the program's own.
  package let virtualAttributes: [String: VirtualAttribute]
  /// The properties of the class's wrappers, in the order in which they are made with an object.
  /// An object of the past may lack some of them.
  let wrapped: [Property?]
  let wrappers: [ModelProgram.Wrapper]
  /// The keys of wrappers whose values the object holds itself; nil for the others.
  let heldKeys: [KeyNumber?]
  /// The attributes whose values are made the program's when an object is read.
  let decodedAtFetch: [Property]
  private let places: [String: Int]
  /// By number of key; less than the properties' count where there is one.
  private let placesByKey: [UInt16]
  /// Whether it has relationships.
  let hasRelationships: Bool
  /// The properties that are saved and of which something is demanded.
  let demanding: [Property]
  /// The values that a new object has and that are saved, by key.
  let fillings: [(key: KeyNumber, value: Value)]
  /// What transient keys have of which nothing was set, where that is not nothing.
  private let transientDefaults: Row

  /// - Parameters:
  ///   - latest: the entity in the model of now, where that is another.
  ///   - formerKeys: what the keys of that model were in this one.
  init(
    _ number: EntityNumber, _ entity: ModelEntity, kinds: [EntityNumber],
    _ properties: [Property], _ program: ModelProgram, latest: EntityInfo? = nil,
    formerKeys: ([KeyNumber]) -> [KeyNumber: KeyNumber] = { _ in [:] }
  ) {
    self.number = number
    self.entity = entity
    self.kinds = kinds
    self.properties = properties
    // The program's classes are made for the model of now, in which the entity may have another name.
    let line = latest?.entity.line ?? entity.line
    let declared = line.lazy.compactMap { program.classes[$0] }.first
    objectClass = declared?.type ?? ManagedObject.self
    var places: [String: Int] = [:]
    var placesByKey: [UInt16] = []
    for (place, property) in properties.enumerated() {
      places[property.name] = place
      let key = Int(property.key.rawValue)
      while placesByKey.count <= key { placesByKey.append(.max) }
      placesByKey[key] = UInt16(clamping: place)
    }
    self.places = places
    self.placesByKey = placesByKey
    wrappers = declared?.wrappers ?? []
    let formers = latest.map { formerKeys($0.properties.map(\.key)) } ?? [:]
    wrapped = wrappers.map { wrapper in
      guard let latest else { return places[wrapper.name].map { properties[$0] } }
      guard let property = latest.property(wrapper.name) else { return nil }
      let key = formers[property.key]
      if let former = properties.first(where: { $0.key == key }) { return former }
      // A wrapper of what there was not yet finds its values absent, and not those of what had its name.
      return places[wrapper.name] == nil ? property : nil
    }
    heldKeys = wrapped.map { property in
      property.flatMap { $0.isAnsweredFromInverse ? nil : $0.key }
    }
    hasRelationships = properties.contains { $0.type == nil }
    decodedAtFetch = properties.filter { $0.transformation?.reading == .atFetch }
    var virtuals: [String: VirtualAttribute] = [:]
    for name in line.reversed() {
      for virtual in program.virtualAttributes[name] ?? [] { virtuals[virtual.name] = virtual }
    }
    virtualAttributes = virtuals
    demanding = properties.filter { $0.isDemanding && !$0.isTransient }
    let filled = properties.compactMap { property in
      property.attribute?.filling.map { (property, $0) }
    }
    fillings = filled.filter { !$0.0.isTransient }.map { ($0.0.key, $0.1) }
    var defaults = Row()
    for (property, value) in filled where property.isTransient { defaults[property.key] = value }
    transientDefaults = defaults
  }

  /// What a key has of which nothing was set, if it is one that no save takes.
  @inline(__always)
  func transientDefault(of key: KeyNumber) -> Value? {
    transientDefaults.isEmpty ? Value?.none : transientDefaults[key]
  }

  package var name: String { entity.name }

  /// The property of a name; nil where the model has none.
  package func property(_ name: String) -> Property? { places[name].map { properties[$0] } }

  /// The property of a key; nil where the model has none.
  package func property(_ key: KeyNumber) -> Property? {
    let raw = Int(key.rawValue)
    guard raw < placesByKey.count, Int(placesByKey[raw]) < properties.count else { return nil }
    return properties[Int(placesByKey[raw])]
  }

  /// Whether objects of another entity are objects of this one.
  package func includes(_ other: EntityNumber) -> Bool { kinds.contains(other) }
}
