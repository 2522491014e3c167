import ObjectModel
import ObjectPatching
import Testing

@Suite struct PatchTests {
  @Test func `a path is written as RFC 6901 writes one`() {
    let path = PatchPath().appending(3).appending("blog").appending("a/b~c")
    #expect(path.description == "/3/blog/a~1b~0c")
  }
}
