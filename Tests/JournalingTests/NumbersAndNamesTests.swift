// Tests numbers at their ends, the names of segments' files, which names may stand in a store, and limits.

import Journaling
import Testing

@Suite struct Numbers {
  @Test func `numbers are in order and have neighbours`() {
    #expect(FrameNumber.none < FrameNumber(1))
    #expect(FrameNumber(rawValue: 4).next == FrameNumber(5))
    #expect(FrameNumber(4).previous == FrameNumber(3))
    #expect(FrameNumber.none.previous == .none)
    #expect(EditNumber(rawValue: 7) + 3 == EditNumber(10))
    #expect(EditNumber.none < EditNumber(1))
    #expect(SegmentNumber(rawValue: 9).next == SegmentNumber(10))
    #expect(SegmentNumber(9) < SegmentNumber(10))
  }

  @Test func `the largest numbers do not trap`() {
    #expect(FrameNumber(.max).next == .none)
    #expect(EditNumber(.max) + 1 == .none)
    #expect(SegmentNumber(.max).next == SegmentNumber(0))
  }

  @Test func `identities differ by either half`() {
    let identity = StoreIdentity(high: 1, low: 2)
    #expect(identity != StoreIdentity(high: 2, low: 2))
    #expect(identity != StoreIdentity(high: 1, low: 1))
    #expect(identity == StoreIdentity(high: 1, low: 2))
  }
}

@Suite struct Names {
  @Test func `a segment's file is found again by its name`() {
    let numbers: [UInt64] = [1, 9, 10, 4711, 9_999_999_999, 10_000_000_000, .max]
    for number in numbers {
      let name = SegmentNumber(number).fileName
      #expect(name.hasSuffix(".xj") && name.utf8.count >= 13)
      #expect(SegmentNumber(fileName: name) == SegmentNumber(number))
      #expect(JournalFiles.isAllowed(name))
    }
    #expect(SegmentNumber(1).fileName == "0000000001.xj")
  }

  @Test func `names of segments' files sort as their numbers do`() {
    let names = (1...1200).map { SegmentNumber($0 * 7919).fileName }
    #expect(names == names.sorted())
  }

  @Test func `no other name is one of a segment's file`() {
    let names = [
      "", ".xj", "1.xj", "000000001.xj", "00000000001.xj", "0000000000.xj", "+000000001.xj",
      "-000000001.xj", "0000000001.XJ", "0000000001.xj ", " 0000000001.xj", "0000000001",
      "0000000001.xj.torn", "000000000a.xj", "18446744073709551616.xj", "０000000001.xj",
      "00000000011.xj",
    ]
    for name in names { #expect(SegmentNumber(fileName: name) == nil, "“\(name)”") }
  }

  @Test func `of all single bytes and ASCII pairs, only those of the alphabet are allowed`() {
    func isPlain(_ byte: UInt8) -> Bool {
      Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        .contains(byte)
    }
    for byte in UInt8.min...0x7F {
      #expect(JournalFiles.isAllowed(String(UnicodeScalar(byte))) == isPlain(byte))
      let second = "a" + String(UnicodeScalar(byte))
      #expect(JournalFiles.isAllowed(second) == (isPlain(byte) || second == "a."))
    }
    for scalar in ["é", "ß", "中", "\u{200B}", "e\u{301}"] {
      #expect(!JournalFiles.isAllowed("a\(scalar)"))
    }
  }

  @Test func `a name has 1 to 128 bytes and does not begin with a dot`() {
    #expect(!JournalFiles.isAllowed(""))
    #expect(JournalFiles.isAllowed("a"))
    #expect(JournalFiles.isAllowed(String(repeating: "a", count: 128)))
    #expect(!JournalFiles.isAllowed(String(repeating: "a", count: 129)))
    for name in [".", "..", ".a", "..a"] { #expect(!JournalFiles.isAllowed(name)) }
    for name in ["a.", "a..b", "lock", "MANIFEST.old", "edits2", "run-1.plist"] {
      #expect(JournalFiles.isAllowed(name))
    }
  }

  @Test func `the names of the journal's own files are not for others`() {
    let names = [
      JournalFiles.lock, JournalFiles.manifest, JournalFiles.newManifest, JournalFiles.edits,
      JournalFiles.newEdits, JournalFiles.journalFolder, JournalFiles.recoveredFolder,
    ]
    #expect(
      names == ["LOCK", "MANIFEST", "MANIFEST.new", "edits", "edits.new", "journal", "recovered"])
    for name in names { #expect(!JournalFiles.isAllowed(name), "\(name)") }
  }
}

@Suite struct LimitsOfFrames {
  @Test func `a payload must fit its LZ4 frame, and both their limits`() {
    let cases: [(payload: UInt64, lz4Frame: UInt64, isAllowed: Bool)] = [
      (0, 0, true), (0, 11, true), (64, 0, true), (65, 0, false), (319, 1, true), (320, 1, false),
      (64 << 20, 1 << 20, true), ((64 << 20) + 1, 1 << 20, false),
      (0, UInt64(Limits.lz4FrameByteCount), true),
      (0, UInt64(Limits.lz4FrameByteCount) + 1, false),
      (.max, .max, false), (0, .max, false), (.max, 0, false), (.max, 11, false),
    ]
    for (payload, lz4Frame, isAllowed) in cases {
      #expect(
        Limits.allow(payload: payload, in: lz4Frame) == isAllowed, "\(payload) in \(lz4Frame)")
    }
  }

  @Test func `the largest payload fits its frame when it does not compress`() {
    let largest = LZ4Frame.largestByteCount(payloadByteCount: Limits.payloadByteCount)
    #expect(largest <= Limits.lz4FrameByteCount)
  }
}
