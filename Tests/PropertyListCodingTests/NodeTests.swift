// Tests that nodes show what is there without looking at the rest.

import Foundation
import ObjectModel
import PropertyListCoding
import TestSupport
import Testing

@Suite struct Nodes {
  private let value: Value = ["array": [1, "two"], "one": 1, "set": .set([3, 4]), "ünï": "code"]

  @Test func `a node shows kind, count, keys and elements`() throws {
    try PropertyListReader.read(PropertyListWriter.encode(value)) {
      root throws(PropertyListError) in
      #expect(root.kind == .dictionary)
      #expect(root.count == 4)
      #expect(try root.keys() == ["array", "one", "set", "ünï"])
      #expect(try root.value() == value)
      let array = try root.value(forKey: "array")
      #expect(array?.kind == .array)
      #expect(array?.count == 2)
      #expect(try array?.element(1).value() == "two")
      #expect(try array?.keys() == [])
      let set = try root.value(forKey: "set")
      #expect(set?.kind == .set)
      #expect(set?.count == 2)
      #expect(try set?.element(0).value() == 3)
      #expect(try root.value(forKey: "ünï")?.value() == "code")
      #expect(try root.value(forKey: "one")?.count == 0)
      #expect(try root.value(forKey: "one")?.value(forKey: "one") == nil)
      #expect(try root.value(forKey: "on") == nil)
      #expect(try root.value(forKey: "u\u{308}nï") == nil, "keys are told apart by their bytes")
    }
  }

  @Test func `every kind of value is a node of its kind`() throws {
    var dice = Dice(seed: 5)
    for _ in 0..<300 {
      let value = dice.anyValue(depth: 2)
      let kind = try PropertyListReader.read(PropertyListWriter.encode(value)) {
        node throws(PropertyListError) in node.kind
      }
      #expect(kind == value.kind)
    }
  }

  @Test func `the lookup of a key passes over damage in other values`() throws {
    let list = ListBytes(
      [0xD3, 1, 2, 3, 4, 5, 200], ListBytes.text("a"), ListBytes.text("b"), ListBytes.text("c"),
      [0x10, 7], [0x7F])
    try PropertyListReader.read(list.bytes) { root throws(PropertyListError) in
      #expect(try root.value(forKey: "a")?.value() == 7)
      #expect(throws: PropertyListError(.markerUnknown, at: list.offset(of: 5))) {
        try root.value(forKey: "b")
      }
      #expect(throws: PropertyListError(.referenceOutOfBounds, at: 14)) {
        try root.value(forKey: "c")
      }
      #expect(throws: PropertyListError(.markerUnknown, at: list.offset(of: 5))) {
        try root.value()
      }
    }
  }

  @Test func `the lookup of a key that stands twice is refused`() throws {
    let list = ListBytes([0xD2, 1, 1, 2, 2], ListBytes.text("a"), [0x10, 7])
    try PropertyListReader.read(list.bytes) { root throws(PropertyListError) in
      #expect(throws: PropertyListError(.keyTwice, at: 10)) { try root.value(forKey: "a") }
      #expect(try root.value(forKey: "b") == nil)
    }
  }

  @Test func `one decoder gives many nodes, also behind a refused one`() throws {
    let list = ListBytes(
      [0xA3, 1, 2, 1], [0xD1, 3, 4], [0xA1, 2], ListBytes.text("a"), [0x10, 7])
    try PropertyListReader.read(list.bytes) { root throws(PropertyListError) in
      let elements = try [root.element(0), root.element(1), root.element(2)]
      var decoder = PropertyListDecoder(root.reader)
      #expect(try decoder.value(of: elements[0]) == ["a": 7])
      for _ in 0..<2 {
        do throws(PropertyListError) {
          _ = try decoder.value(of: elements[1])
          Issue.record("a cycle is read")
        } catch {
          #expect(error == PropertyListError(.cycle, at: list.offset(of: 2)))
        }
      }
      #expect(try decoder.value(of: elements[2]) == ["a": 7])
    }
  }
}
