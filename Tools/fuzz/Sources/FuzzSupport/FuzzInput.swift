// What the fuzzers share: how an input is read, and how a broken invariant ends the run.

/// The bytes the fuzzer made up: the first one decides how the others are used.
package struct FuzzInput {
  package let control: UInt8
  package let bytes: [UInt8]

  /// Nil where there is no byte at all.
  package init?(_ bytes: UnsafePointer<UInt8>?, _ count: Int) {
    let input = UnsafeBufferPointer(start: bytes, count: count)
    guard let control = input.first else { return nil }
    self.control = control
    self.bytes = Array(input.dropFirst())
  }

  /// Whether a bit of the first byte is set.
  package func has(_ bit: UInt8) -> Bool { control & (1 << bit) != 0 }
}

/// Ends the run, with a sentence, where an invariant does not hold.
package func expect(
  _ holds: Bool, _ sentence: @autoclosure () -> String, file: StaticString = #fileID,
  line: UInt = #line
) {
  precondition(holds, sentence(), file: file, line: line)
}
