import Foundation
import XJournal

/// A counter made by hand: what is added is kept in a transient attribute, and put on what is stored by the save.
final class GaugeByHand: ManagedObject {
  private var savedCount: Int { committedValues(forKeys: ["count"])["count"]?.integer ?? 0 }
  private var added: Int { value(forKey: "added")?.integer ?? 0 }

  var count: Int { savedCount + added }

  func add(_ amount: Int) { setValue(.integer(added + amount), forKey: "added") }

  override func willSave() {
    if added != 0 { setPrimitiveValue(.integer(count), forKey: "count") }
    super.willSave()
  }

  override func didSave() {
    super.didSave()
    setPrimitiveValue(nil, forKey: "added")
  }

  static let description = EntityDescription(
    "GaugeByHand",
    attributes: [
      AttributeDescription("count", .integer),
      AttributeDescription("added", .integer, isTransient: true),
    ])
}

/// A set of texts made by hand: what came and what went is kept in two transient attributes.
final class BasketByHand: ManagedObject {
  private var savedItems: Set<String> {
    Set(
      (committedValues(forKeys: ["stored"])["stored"]?.string ?? "").split(separator: "\n").map {
        String($0)
      })
  }

  private func texts(_ key: String) -> Set<String> {
    Set(value(forKey: key)?.array?.compactMap(\.string) ?? [])
  }

  private func setTexts(_ texts: Set<String>, _ key: String) {
    setValue(texts.isEmpty ? nil : .array(texts.sorted().map { .string($0) }), forKey: key)
  }

  var items: Set<String> {
    savedItems.subtracting(texts("removed")).union(texts("inserted"))
  }

  func insert(_ item: String) {
    setTexts(texts("inserted").union([item]), "inserted")
    setTexts(texts("removed").subtracting([item]), "removed")
  }

  func remove(_ item: String) {
    setTexts(texts("inserted").subtracting([item]), "inserted")
    setTexts(texts("removed").union([item]), "removed")
  }

  override func willSave() {
    if value(forKey: "inserted") != nil || value(forKey: "removed") != nil {
      setPrimitiveValue(.string(items.sorted().joined(separator: "\n")), forKey: "stored")
    }
    super.willSave()
  }

  override func didSave() {
    super.didSave()
    setPrimitiveValue(nil, forKey: "inserted")
    setPrimitiveValue(nil, forKey: "removed")
  }

  static let description = EntityDescription(
    "BasketByHand",
    attributes: [
      AttributeDescription("stored", .string),
      AttributeDescription("inserted", .transformed(by: "Texts"), isTransient: true),
      AttributeDescription("removed", .transformed(by: "Texts"), isTransient: true),
    ])
}

/// The same, built in; and books of other stores.
final class Basket: ManagedObject {
  @Counter("count") var count: Int
  @ValueSet("items") var items: Set<String>
}

final class Shelf: ManagedObject {
  static let description = EntityDescription(
    "Shelf", attributes: [AttributeDescription("books", .set, isOptional: false)])

  var books: Set<ObjectID> { Set(value(forKey: "books")?.set?.compactMap(\.reference) ?? []) }

  func insert(_ book: Book) {
    setValue(.set(Set(books.union([book.objectID]).map { .reference($0) })), forKey: "books")
  }
}

final class Book: ManagedObject {
  @Attribute("title") var title: String?
}
