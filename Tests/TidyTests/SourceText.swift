/// The text of a Swift source, and the same text with comments and the insides of string literals
/// blanked out, so that what is found in it is code.
struct SourceText {
  let lines: [Substring]
  let codeLines: [Substring]
  let code: String

  init(_ text: String) {
    var blanker = Blanker(text)
    code = blanker.blanked()
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    codeLines = code.split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The number of the line that a place in the code is on.
  func lineNumber(of place: String.Index) -> Int {
    code[..<place].count { $0 == "\n" } + 1
  }
}

/// Reads a source once and replaces what is not code by spaces.
private struct Blanker {
  private let bytes: [UInt8]
  private var answer: [UInt8]
  private var place = 0
  /// The bytes that may end a stretch of plain code.
  private static let marks = Set("/`#\"()".utf8)

  init(_ text: String) {
    bytes = Array(text.utf8)
    answer = bytes
  }

  mutating func blanked() -> String {
    readCode(untilParenthesis: false)
    return String(decoding: answer, as: UTF8.self)
  }

  private func begins(_ text: StaticString, at offset: Int = 0) -> Bool {
    text.withUTF8Buffer { bytes[(place + offset)...].starts(with: $0) }
  }

  private mutating func blank(_ count: Int = 1) {
    for index in place..<min(place + count, bytes.count) where bytes[index] != UInt8(ascii: "\n") {
      answer[index] = UInt8(ascii: " ")
    }
    place = min(place + count, bytes.count)
  }

  private mutating func readCode(untilParenthesis: Bool) {
    var depth = 0
    while place < bytes.count {
      if !Self.marks.contains(bytes[place]) {
        place += 1
      } else if begins("//") {
        while place < bytes.count, bytes[place] != UInt8(ascii: "\n") { blank() }
      } else if begins("/*") {
        readComment()
      } else if begins("`") {
        repeat { place += 1 } while place < bytes.count && !begins("`") && !begins("\n")
        place = min(place + 1, bytes.count)
      } else if let hashCount = stringBegin() {
        readString(hashCount: hashCount)
      } else {
        if begins("(") { depth += 1 }
        if begins(")") { depth -= 1 }
        place += 1
        if untilParenthesis, depth == 0 { return }
      }
    }
  }

  private mutating func readComment() {
    var depth = 0
    repeat {
      if begins("/*") {
        depth += 1
        blank(2)
      } else if begins("*/") {
        depth -= 1
        blank(2)
      } else {
        blank()
      }
    } while depth > 0 && place < bytes.count
  }

  /// How many number signs stand before the quote where a string begins here.
  private func stringBegin() -> Int? {
    var count = 0
    while place + count < bytes.count, bytes[place + count] == UInt8(ascii: "#") { count += 1 }
    return place + count < bytes.count && begins("\"", at: count) ? count : nil
  }

  private func hashes(_ count: Int, at offset: Int) -> Bool {
    let begin = place + offset
    return begin + count <= bytes.count
      && bytes[begin..<begin + count].allSatisfy { $0 == UInt8(ascii: "#") }
  }

  private mutating func readString(hashCount: Int) {
    place += hashCount
    let isLong = begins("\"\"\"")
    let quoteCount = isLong ? 3 : 1
    place += quoteCount
    while place < bytes.count {
      let ends = isLong ? begins("\"\"\"") : begins("\"")
      if ends && hashes(hashCount, at: quoteCount) {
        place += quoteCount + hashCount
        return
      } else if !isLong && begins("\n") {
        return
      } else if begins("\\") && hashes(hashCount, at: 1) {
        blank(1 + hashCount)
        if begins("(") { readCode(untilParenthesis: true) } else { blank() }
      } else {
        blank()
      }
    }
  }
}
