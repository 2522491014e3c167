import Testing

/// The documentation leads somewhere, and its code is compiled.
struct Documentation {
  let repository = Repository.this

  @Test func `every relative link and anchor leads to something`() throws {
    let pages = try repository.texts(repository.paths().filter { $0.hasSuffix(".md") })
    #expect(pages.contains { $0.path == "README.md" })
    let findings = try pages.flatMap { path, text in
      try DocumentationRules.brokenLinks(
        in: Page(text), at: path, text: repository.text, exists: repository.exists)
    }
    #expect(findings == [])
  }

  @Test(arguments: [
    ("[a](missing.md)", "docs/page.md:1: missing.md leads to nothing"),
    ("![a](missing.png \"title\")", "docs/page.md:1: missing.png leads to nothing"),
    ("\n[a](../../up.md)", "docs/page.md:2: ../../up.md leaves the repository"),
    ("[a](/etc/hosts)", "docs/page.md:1: /etc/hosts leaves the repository"),
    ("[a](#nowhere)\n# Here", "docs/page.md:1: #nowhere: no such heading"),
    ("[a](other.md#nowhere)", "docs/page.md:1: other.md#nowhere: no such heading"),
    ("[a]: gone.md", "docs/page.md:1: gone.md leads to nothing"),
    ("```\n# Here\n```\n[a](#here)", "docs/page.md:4: #here: no such heading"),
  ])
  func `a link that leads nowhere is found`(text: String, finding: String) {
    #expect(brokenLinks(text) == [finding])
  }

  @Test(arguments: [
    "[a](other.md) [b](other.md#the-other--page-1) [c](./other.md) [d](../README.md)",
    "# Ranks, and `why`!\n[a](#ranks-and-why)", "# A\n# A\n[a](#a-1)", "<a id=\"x\"></a> [a](#x)",
    "`[a](missing.md)`", "```\n[a](missing.md)\n```", "[a](https://swift.org/x#y)", "[a](../docs)",
    "# [Link](other.md) head\n[a](#link-head)",
  ])
  func `a link that leads somewhere is let be`(text: String) {
    #expect(brokenLinks(text) == [])
  }

  private func brokenLinks(_ text: String) -> [String] {
    let files = ["README.md": "", "docs/other.md": "# The other & page\n## The other & page\n"]
    return DocumentationRules.brokenLinks(
      in: Page(text), at: "docs/page.md", text: { files[$0] },
      exists: { files[$0] != nil || ["docs", "docs/page.md"].contains($0) })
  }

  @Test func `every Swift snippet stands in a test that is compiled`() throws {
    let manifest = Manifest(try #require(try repository.text("Package.swift")))
    let sources = try repository.texts(repository.paths(in: "Tests", endingWith: ".swift"))
      .filter { path, _ in
        manifest.target(of: path).map { $0.name != "TidyTests" } ?? false
      }
      .map { $0.text.split(separator: "\n", omittingEmptySubsequences: false) }
    let pages = try repository.texts(repository.paths().filter { $0.hasSuffix(".md") })
    let findings = pages.flatMap { path, text in
      Page(text).blocks
        .filter { block in
          block.language == "swift"
            && !sources.contains { DocumentationRules.stands(block.lines, in: $0) }
        }
        .map { "\(path):\($0.line): this Swift snippet stands in no test" }
    }
    #expect(findings == [])
  }

  @Test func `a snippet is found at another indentation, and only whole and in order`() {
    let source = "struct A {\n    let b = 1\n\n    func c() {\n      d()\n    }\n}"
      .split(separator: "\n", omittingEmptySubsequences: false)
    func stands(_ snippet: String...) -> Bool { DocumentationRules.stands(snippet, in: source) }
    #expect(stands("let b = 1"))
    #expect(stands("let b = 1", "", "func c() {", "  d()", "}"))
    #expect(stands("", "  func c() {", "    d()", ""))
    #expect(!stands("let b = 2"))
    #expect(!stands("func c() {", "d()"))
    #expect(!stands("let b = 1", "func c() {"))
    #expect(!stands("func c() {", "  d()", "}", "}", "more"))
  }

  @Test func `fenced blocks are told apart by their language`() {
    let page = Page("```swift\na\n```\n~~~\nb\n~~~\n  ```bash\n  c\n  ```\n````swift\n```\n````")
    #expect(page.blocks.map(\.language) == ["swift", "", "bash", "swift"])
    #expect(page.blocks.map(\.lines) == [["a"], ["b"], ["  c"], ["```"]])
    #expect(page.blocks.map(\.line) == [1, 4, 7, 10])
  }
}
