// Tests that each thing that may be wrong with a list is refused for what it is, where it is.

import Foundation
import ObjectModel
import PropertyListCoding
import TestSupport
import Testing

@Suite struct Refusals {
  private func expect(
    _ code: PropertyListError.Code, at offset: Int, _ bytes: [UInt8],
    _ location: SourceLocation = #_sourceLocation
  ) {
    #expect(refusal(bytes) == PropertyListError(code, at: offset), sourceLocation: location)
  }

  private let one: [UInt8] = [0x10, 1]

  @Test func `another header and another trailer are refused`() {
    let sound = ListBytes(one).bytes
    #expect(refusal(sound) == nil)
    expect(.notAPropertyList, at: 0, [])
    expect(.notAPropertyList, at: 0, Array(sound.dropLast(2)))
    for index in 0..<8 {
      expect(.notAPropertyList, at: 0, sound.flipping(bit: index * 8))
    }
    let trailer = sound.count - 32
    for bit in (trailer * 8)..<sound.bitCount {
      let change = sound.flipping(bit: bit)
      // One reference size more or less says nothing where there is no reference.
      if (trailer + 7) * 8..<(trailer + 8) * 8 ~= bit, change[trailer + 7] <= 8,
        change[trailer + 7] > 0
      {
        continue
      }
      expect(.trailerMalformed, at: trailer, change)
    }
    expect(.trailerMalformed, at: trailer + 1, sound[..<trailer] + [0] + sound[trailer...])
  }

  @Test func `counts of objects that overflow are refused`() {
    var bytes = ListBytes(one).bytes
    let trailer = bytes.count - 32
    for count: UInt64 in [.max, 1 << 63, 1 << 62, 0, 1 << 32] {
      for size: UInt8 in [1, 2, 8] {
        bytes[trailer + 6] = size
        bytes.put(count.byteSwapped, at: trailer + 8)
        expect(.trailerMalformed, at: trailer, bytes)
      }
    }
  }

  @Test func `offsets out of the objects are refused`() {
    var list = ListBytes([0xA1, 1], one)
    list.offsetByteCount = 8
    for offset: UInt64 in [0, 7, 12, 1 << 63, .max, UInt64(Int.max)] {
      list.offsets[1] = offset
      expect(.offsetOutOfBounds, at: 20, list.bytes)
    }
  }

  @Test func `references to objects that there are not are refused`() {
    expect(.referenceOutOfBounds, at: 9, ListBytes([0xA1, 2], one).bytes)
    expect(.referenceOutOfBounds, at: 9, ListBytes([0xD1, 9, 1], ListBytes.text("a")).bytes)
    expect(.referenceOutOfBounds, at: 10, ListBytes([0xD1, 1, 9], ListBytes.text("a")).bytes)
    var list = ListBytes([0xA1, 255, 255, 255, 255, 255, 255, 255, 255], one)
    list.referenceByteCount = 8
    expect(.referenceOutOfBounds, at: 9, list.bytes)
  }

  @Test func `unknown markers are refused`() {
    let families: [UInt8] = [0x7, 0x9, 0xB, 0xC, 0xE, 0xF]
    let known: [UInt8] = [8, 9, 0x10, 0x11, 0x12, 0x13, 0x14, 0x22, 0x23, 0x33]
    for marker in UInt8.min...UInt8.max {
      let isUnknown = families.contains(marker >> 4) || marker < 0x40 && !known.contains(marker)
      let bytes = ListBytes([marker] + [UInt8](repeating: 0, count: 40)).bytes
      #expect((refusal(bytes)?.code == .markerUnknown) == isUnknown, "\(marker)")
    }
  }

  @Test func `objects that reach past the last one are refused`() {
    let objects: [[UInt8]] = [
      [0x11, 1], [0x13, 1, 2, 3, 4, 5, 6, 7], [0x23, 0], [0x22, 0, 0, 0], [0x33], [0x42, 1],
      [0x52, 65], [0x61, 0], [0xA1], [0xD1, 0], [0x81, 0], [0x4F], [0x4F, 0x11, 0],
      [0x4F, 0x13, 0x7F, 255, 255, 255, 255, 255, 255, 255],
      [0xAF, 0x13, 0x7F, 255, 255, 255, 255, 255, 255, 255],
      [0xDF, 0x13, 0x7F, 255, 255, 255, 255, 255, 255, 255],
      [0x6F, 0x13, 0x40, 0, 0, 0, 0, 0, 0, 0], [0xAF, 0x12, 255, 255, 255, 255],
    ]
    for object in objects {
      let found = refusal(ListBytes(object).bytes)
      #expect(found?.code == .objectOutOfBounds, "\(object)")
    }
  }

  @Test func `counts that are no counts are refused`() {
    expect(.countMalformed, at: 9, ListBytes([0x4F, 0x23, 0, 0, 0, 0, 0, 0, 0, 0]).bytes)
    expect(
      .countMalformed, at: 9, ListBytes([0x4F, 0x14] + [UInt8](repeating: 0, count: 16)).bytes)
    let negative = [UInt8](repeating: 255, count: 8)
    for family: UInt8 in [0x4F, 0x5F, 0x6F, 0xAF, 0xDF] {
      expect(.countMalformed, at: 9, ListBytes([family, 0x13] + negative).bytes)
    }
  }

  @Test func `integers of sixteen bytes are read where they fit`() throws {
    func list(_ high: UInt64, _ low: UInt64) -> [UInt8] {
      ListBytes([0x14] + ListBytes.bigEndian(high, 8) + ListBytes.bigEndian(low, 8)).bytes
    }
    #expect(try PropertyListReader.decode(list(0, 7)) == 7)
    #expect(try PropertyListReader.decode(list(.max, .max)) == -1)
    #expect(try PropertyListReader.decode(list(.max, 1 << 63)) == .integer(.min))
    expect(.integerTooLarge, at: 8, list(0, 1 << 63))
    expect(.integerTooLarge, at: 8, list(1, 7))
    expect(.integerTooLarge, at: 8, list(.max, 7))
  }

  @Test func `malformed text is refused`() {
    expect(.stringNotASCII, at: 8, ListBytes([0x52, 65, 0x80]).bytes)
    expect(.stringNotASCII, at: 8, ListBytes([0x59] + Array("abcdefgh".utf8) + [0xC3]).bytes)
    let halves: [[UInt8]] = [
      [0xD8, 0], [0xDC, 0], [0xDC, 0, 0xD8, 0], [0xD8, 0, 0, 65], [0xD8, 0, 0xD8, 0, 0xDC, 0],
      [0xD8, 0, 0xDC, 0, 0xDC, 0],
    ]
    for half in halves {
      expect(.surrogateUnpaired, at: 8, ListBytes([0x60 | UInt8(half.count / 2)] + half).bytes)
    }
    #expect(refusal(ListBytes([0x62, 0xD8, 0, 0xDC, 0]).bytes) == nil)
  }

  @Test func `keys that are no strings, or stand twice, are refused`() {
    let key = ListBytes.text("k")
    expect(.keyNotAString, at: 11, ListBytes([0xD1, 1, 1], one).bytes)
    expect(.keyTwice, at: 10, ListBytes([0xD2, 1, 1, 2, 2], key, one).bytes)
    expect(.keyTwice, at: 10, ListBytes([0xD2, 1, 2, 3, 3], key, [0x61, 0, 0x6B], one).bytes)
    // The same letter, written in two ways.
    let (composed, decomposed): ([UInt8], [UInt8]) = ([0x61, 0, 0xE9], [0x62, 0, 0x65, 3, 1])
    expect(.keyTwice, at: 10, ListBytes([0xD2, 1, 2, 3, 3], composed, decomposed, one).bytes)
    let keys = (0..<40).map { ListBytes.text("k\($0 % 39)") }
    let references = (1...40).map { UInt8($0) } + (1...40).map { _ in UInt8(41) }
    expect(
      .keyTwice, at: 11 + 39,
      ListBytes(objects: [[0xDF, 0x10, 40] + references] + keys + [one]).bytes)
  }

  @Test func `containers that hold themselves are refused`() {
    expect(.cycle, at: 8, ListBytes([0xA1, 0]).bytes)
    expect(.cycle, at: 8, ListBytes([0xA1, 1], [0xA1, 0]).bytes)
    expect(.cycle, at: 8, ListBytes([0xD1, 1, 0], ListBytes.text("a")).bytes)
    expect(.cycle, at: 8, ListBytes([0xA2, 1, 0], [0x80, 13]).bytes)
  }

  @Test func `containers may stand in one another 128 deep and no deeper`() {
    func nested(_ count: Int) -> ListBytes {
      ListBytes(objects: (0..<count).map { [0xA1, UInt8($0 + 1)] } + [one])
    }
    #expect(refusal(withOffsets(nested(128))) == nil)
    expect(.tooDeep, at: 8 + 128 * 2, withOffsets(nested(129)))
    // A shared container that has been decoded higher up counts with all that is in it.
    var list = ListBytes(objects: [[0xA2, 65, 1]])
    for index in 1...64 { list.objects.append([0xA1, UInt8(index + 1)]) }
    for index in 65...128 { list.objects.append([0xA1, UInt8(index == 128 ? 130 : index + 1)]) }
    list.objects += [[0xA1, 65], one]
    list.objects[64] = [0xA1, 129]
    expect(.tooDeep, at: list.offset(of: 65), withOffsets(list))
  }

  private func withOffsets(_ list: ListBytes) -> [UInt8] {
    var list = list
    list.offsetByteCount = 2
    return list.bytes
  }

  @Test func `shared containers that would stand everywhere are refused`() {
    var objects = (0..<60).map { [0xA2, UInt8($0 + 1), UInt8($0 + 1)] }
    objects.append(one)
    let bytes = ListBytes(objects: objects).bytes
    #expect(refusal(bytes)?.code == .tooManyNodes)
    let few = ListBytes(
      objects: Array(objects[53...]).enumerated().map { index, object in
        object == one ? one : [0xA2, UInt8(index + 1), UInt8(index + 1)]
      })
    #expect(refusal(few.bytes) == nil, "some sharing is no harm")
  }

  @Test func `objects across one another are refused`() {
    // Forty arrays of data, each of which begins one byte later in the same bytes.
    var list = ListBytes([0xAF, 0x10, 40] + (1...40).map { UInt8($0) })
    list.objects += [[UInt8](repeating: 0x4E, count: 60)]
    list.objects += [[UInt8]](repeating: [], count: 39)
    for index in 0..<40 { list.offsets[index + 1] = UInt64(list.offset(of: 1) + index) }
    #expect(refusal(list.bytes)?.code == .overlap)
  }

  @Test func `malformed tags are refused`() {
    let (text, data) = (ListBytes.text("x"), [UInt8](repeating: 0, count: 15))
    for kind: UInt8 in [1, 2, 3, 5, 6, 7, 10, 11, 15, 255] {
      expect(.tagMalformed, at: 11, ListBytes([0xA2, 1, 2], [0x80, kind], one).bytes)
    }
    for kind: UInt8 in [1, 4, 8, 12, 255] {
      expect(.tagMalformed, at: 8, ListBytes([0x80, kind]).bytes)
    }
    expect(.tagMalformed, at: 8, ListBytes([0x81, 1, 0]).bytes)
    for kind: UInt8 in [4, 8, 9, 12, 14] {
      expect(.tagMalformed, at: 8, ListBytes([0xA1, 1], [0x80, kind]).bytes)
      expect(.tagMalformed, at: 8, ListBytes([0xA4, 1, 2, 2, 2], [0x80, kind], one).bytes)
      expect(.tagMalformed, at: 8, ListBytes([0xA2, 1, 2], [0x80, kind], [0xA0]).bytes)
    }
    for (kind, payload): (UInt8, [UInt8]) in [
      (4, text), (4, one), (4, ListBytes.text("1.0")), (4, ListBytes.text("NaN")),
      (4, ListBytes.text("1x")), (8, text), (8, [0x4F, 0x10, 15] + data), (9, one), (9, [0x50]),
      (9, ListBytes.text("a b")), (12, text), (14, one),
    ] {
      expect(
        .tagMalformed, at: 8, ListBytes([0xA2, 1, 2], [0x80, kind], payload).bytes)
    }
    expect(.tagMalformed, at: 8, ListBytes([0xA3, 1, 2, 3], [0x80, 14], one, text).bytes)
    expect(.memberTwice, at: 11, ListBytes([0xA3, 1, 2, 2], [0x80, 13], one).bytes)
  }
}
