import EventFold
import FoundationEssentials
import ObjectModel
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

  @Test func `a splice that would cut a character is refused`() {
    // "é" is two bytes, C3 A9: the splice keeps the first of them and puts an x behind it.
    let cut = Splice(prefixCount: 1, suffixCount: 1, old: "", new: "x")
    #expect(cut.applied(to: "é") == nil)
    #expect(cut.applied(to: "ab") == "axb")
  }
}
