import ObjectQuery
import Testing

/// What somebody may have meant.
@Suite struct SpellingTests {
  @Test(arguments: [
    ("Psot", "Post"), ("post", "Post"), ("likse", "likes"), ("like", "likes"), ("x", "xy"),
    ("q", nil), ("title", nil), ("", nil),
  ])
  func `what is meant has something in common with what is written`(
    written: String, meant: String?
  ) {
    #expect(Spelling.nearest(to: written, among: [" ", "Post", "likes", "xy", "z"]) == meant)
  }
}
