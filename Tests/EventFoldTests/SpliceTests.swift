import EventFold
import FoundationEssentials
import ObjectModel
import TestSupport
import Testing

@Suite struct Splices {
  private static let text = String(repeating: "Zoë läuft 𝄞. ", count: 10)

  @Test func `a change at any place of a long text keeps the rest, and no character is cut`() throws
  {
    let scalars = Array(Self.text.unicodeScalars)
    for place in scalars.indices {
      for replacement in ["", "e", "ë", "𝄢", "ê\u{301}"] {
        var text = ""
        text.unicodeScalars.append(contentsOf: scalars[..<place])
        text += replacement
        text.unicodeScalars.append(contentsOf: scalars[(place + 1)...])
        let (old, new) = (Value.string(Self.text), Value.string(text))
        if old == new { continue }
        let splice = try #require(Splice(from: old, to: new))
        #expect(splice.applied(to: old) == new, "\(replacement) at \(place)")
        #expect(splice.inverse.applied(to: new) == old, "\(replacement) at \(place)")
        let middle = try #require(splice.old.string)
        #expect(middle.utf8.count <= 8, "a scalar and no more is in the middle")
      }
    }
  }

  @Test func `short values and values that differ in most are kept whole`() {
    #expect(Splice(from: "a short text", to: "a shorter text") == nil)
    #expect(Splice(from: .string(Self.text), to: .string(String(Self.text.reversed()))) == nil)
    #expect(Splice(from: .string(Self.text), to: .data(Data(Self.text.utf8))) == nil)
    #expect(Splice(from: .string(Self.text), to: "") == nil)
  }

  @Test func `data and arrays are spliced, too, and repetition does not confuse their ends`() throws
  {
    let zeros = Data(repeating: 0, count: 100)
    let longer = Value.data(Data(repeating: 0, count: 101))
    let splice = try #require(Splice(from: .data(zeros), to: longer))
    #expect(splice.old == .data(Data()) && splice.new == .data(Data([0])))
    #expect(splice.applied(to: .data(zeros)) == longer)
    // A slice does not begin at 0.
    let slice = Value.data(Data([9] + zeros)[1...])
    #expect(splice.applied(to: slice) == longer)
    let array = Value.array((0..<80).map { .integer($0 % 3) })
    let moved = Value.array([7] + (0..<80).map { .integer($0 % 3) })
    #expect(try #require(Splice(from: array, to: moved)).applied(to: array) == moved)
  }

  @Test(arguments: [
    Splice(prefixCount: -1, suffixCount: 2, old: "a", new: "b"),
    Splice(prefixCount: 2, suffixCount: -1, old: "a", new: "b"),
    Splice(prefixCount: .max, suffixCount: .max, old: "a", new: "b"),
    Splice(prefixCount: 0, suffixCount: .max, old: "a", new: "b"),
    Splice(prefixCount: 0, suffixCount: 1, old: "x", new: "y"),
    Splice(prefixCount: 1, suffixCount: 0, old: "é", new: "x"),
    Splice(prefixCount: 0, suffixCount: 3, old: "", new: "x"),
    Splice(prefixCount: 0, suffixCount: 1, old: .data(Data([0x61])), new: .data(Data())),
  ])
  func `a splice that was made of something else is refused`(_ splice: Splice) {
    #expect(splice.applied(to: "ab") == nil)
    #expect(splice.applied(to: .integer(1)) == nil)
  }

  /// A long text, or its bytes, in which some places are changed at random.
  private static func edited(_ bytes: [UInt8], _ dice: inout Dice, isText: Bool) -> [UInt8] {
    var edited = bytes
    for _ in 0...dice.pick(5) {
      var place = dice.pick(edited.count)
      func isWithin(_ place: Int) -> Bool {
        isText && place < edited.count && edited[place] & 0xC0 == 0x80
      }
      while isWithin(place) { place += 1 }
      var end = min(edited.count, place + dice.pick(dice.chance(4) ? 900 : 4))
      while isWithin(end) { end += 1 }
      let new = String(repeating: ["a", "ë", "𝄞", ""][dice.pick(4)], count: dice.pick(60))
      edited.replaceSubrange(place..<end, with: Array(new.utf8))
    }
    return edited
  }

  @Test func `changes at several places of a long value are told by these, exactly`() throws {
    var dice = Dice(seed: 20_240_229)
    var severalCount = 0
    for round in 0..<400 {
      let words = (0..<1_200).map { _ in "Zoë\(dice.pick(1 << 20)) 𝄞" }
      let bytes = Array(words.joined(separator: round % 5 == 0 ? "" : " ").utf8)
      let isText = round % 2 == 0
      let other = Self.edited(bytes, &dice, isText: isText)
      let (old, new): (Value, Value) =
        isText
        ? (
          .string(String(decoding: bytes, as: UTF8.self)),
          .string(String(decoding: other, as: UTF8.self))
        )
        : (.data(Data(bytes)), .data(Data(other)))
      if old == new { continue }
      let splice = try #require(Splice(from: old, to: new), "round \(round)")
      #expect(splice.applied(to: old) == new, "round \(round)")
      #expect(splice.inverse.applied(to: new) == old, "round \(round)")
      #expect(splice.further.allSatisfy { $0.keptCount > 0 })
      severalCount += splice.further.isEmpty ? 0 : 1
    }
    #expect(severalCount > 200)
  }

  @Test func `what is told of few characters far from each other is little`() throws {
    let words = (0..<10_000).map { "word \($0 * 7_919 % 100_003)" }
    var others = words
    for place in stride(from: 100, to: 10_000, by: 990) { others[place] += "x" }
    others[5_000] = String(repeating: "pasted ", count: 200)
    let (old, new) = (
      Value.string(words.joined(separator: " ")), Value.string(others.joined(separator: " "))
    )
    let splice = try #require(Splice(from: old, to: new))
    let told = splice.parts.reduce(0) {
      $0 + ($1.old.string?.utf8.count ?? 0) + ($1.new.string?.utf8.count ?? 0)
    }
    #expect(splice.further.count == 10 && told < 1_700, "\(splice.further.count), \(told)")
    #expect(splice.applied(to: old) == new)
  }

  @Test func `values of which little is alike are kept whole, whatever they are`() throws {
    let zeros = Value.data(Data(repeating: 0, count: 20_000))
    let ones = Value.data(Data(repeating: 1, count: 20_000))
    #expect(Splice(from: zeros, to: ones) == nil)
    // Places everywhere: those beyond the most that are told are one, and that is too much.
    var striped = Data(repeating: 0, count: 20_000)
    for place in stride(from: 0, to: 20_000, by: 40) { striped[place] = 1 }
    #expect(Splice(from: zeros, to: .data(striped)) == nil)
  }

  @Test(arguments: [
    [Splice.Part(keptCount: .max, old: "", new: "x")],
    [Splice.Part(keptCount: -1, old: "", new: "x")],
    [Splice.Part(keptCount: 1, old: "x", new: "y")],
    [Splice.Part(keptCount: 1, old: .data(Data()), new: .data(Data([1])))],
    [
      Splice.Part(keptCount: 1, old: "c", new: "x"), Splice.Part(keptCount: 1, old: "", new: "y"),
    ],
  ])
  func `several places that were made of something else are refused`(_ further: [Splice.Part]) {
    let splice = Splice(prefixCount: 0, suffixCount: 0, old: "a", new: "", further: further)
    #expect(splice.applied(to: "abc") == nil)
  }

  @Test func `a splice that would cut a character is refused`() {
    // "é" is two bytes, C3 A9: the splice keeps the first of them and puts an x behind it.
    let cut = Splice(prefixCount: 1, suffixCount: 1, old: "", new: "x")
    #expect(cut.applied(to: "é") == nil)
    #expect(cut.applied(to: "ab") == "axb")
  }
}
