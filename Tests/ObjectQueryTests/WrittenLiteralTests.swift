import FoundationEssentials
import ObjectModel
import ObjectQuery
import Testing

/// Literals that name their kind, in every form, and what is said of one that is none.
struct WrittenLiteralTests {
  private func literal(_ text: String) throws -> Value? {
    guard case .comparison(let comparison) = try Filter("k == \(text)").node,
      case .literal(let value) = comparison.right
    else { return nil }
    return value
  }

  @Test func `a kind is written by its name, of whatever says such a value`() throws {
    let moment = Value.date(Date(timeIntervalSinceReferenceDate: 86_400))
    for text in [
      "date(86400)", "date(86400.0)", "date('2001-01-02')", "date(2001-01-02)", "2001-01-02",
      "date('2001-01-02T00:00')", "date('2001-01-02 00:00')", "date('2001-01-02T01:00+0100')",
      "date('2001-01-01T22:30:00-01:30')",
    ] {
      #expect(try literal(text) == moment, "\(text)")
    }
    #expect(try literal("real(3)") == 3.0 && literal("real(0.5)") == 0.5)
    #expect(try literal("real('0.5')") == 0.5 && literal("real('-inf')") == .real(-.infinity))
    #expect(
      try literal("decimal(3)") == .decimal(3) && literal("decimal('-1.5e+2')") == .decimal(-150))
    #expect(try literal("decimal('+2.50E1')") == .decimal(25))
    #expect(
      try literal("url('https://example.org')")
        == .url(#require(URL(string: "https://example.org"))))
    #expect(try literal("counter(3)") == .counter(3) && literal("'a\\rb'") == "a\rb")
    #expect(try literal("[:]") == [:] && literal("[]") == [])
  }

  @Test(arguments: [
    ("date", "'soon'", "date('2026-11-21T10:30:00Z')"), ("decimal", "'1.'", "decimal('1.50')"),
    ("decimal", "'1e'", "decimal('1.50')"), ("decimal", "'x'", "decimal('1.50')"),
    ("decimal", "'-'", "decimal('1.50')"), ("decimal", "'1 '", "decimal('1.50')"),
    ("uuid", "'x'", "uuid('E621E1F8-C36C-495A-93FC-0C247A3E6E5F')"),
    ("url", "''", "url('https://example.org')"), ("url", "3", "url('https://example.org')"),
    ("data", "'*'", "data('aGVsbG8=')"), ("counter", "'x'", "counter(3)"),
    ("counter", "0.5", "counter(3)"), ("real", "'x'", "real('inf')"),
    ("real", "'bits:xyz'", "real('inf')"), ("real", "true", "real('inf')"),
    ("object", "'x'", "object('xjournal://0123456789abcdef/0/3/17')"),
    ("date", "'2001-13-01'", "date('2026-11-21T10:30:00Z')"),
    ("date", "'2001-01-01T24:00'", "date('2026-11-21T10:30:00Z')"),
    ("date", "'2001-01-01T10:00:60'", "date('2026-11-21T10:30:00Z')"),
    ("date", "'2001-01-01T10:00:00.'", "date('2026-11-21T10:30:00Z')"),
    ("date", "'2001-01-01T10:00+24:00'", "date('2026-11-21T10:30:00Z')"),
    ("date", "'2001-01-01T10:00+1'", "date('2026-11-21T10:30:00Z')"),
    ("date", "'2001-01-01X'", "date('2026-11-21T10:30:00Z')"),
    ("date", "1, 2", "date('2026-11-21T10:30:00Z')"),
  ])
  func `what is no value of its kind is refused, and one is shown`(
    kind: String, inner: String, example: String
  ) throws {
    let error = #expect(throws: QueryError.self) { try Filter("k == \(kind)(\(inner))") }
    #expect(error?.message == "This is no \(kind); \(example) is one.")
    #expect(error?.place?.column == 6, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    ("a = 1e999", "The number is too large for a real.", 5),
    ("a = [1, ]", "a value is expected", 9), ("a = [-b]", "a value is expected", 6),
    ("(a = 1) * 2 = 3", "Here a filter stands where a number is expected.", 1),
    ("2 * (a = 1) = 3", "Here a filter stands where a number is expected.", 5),
    ("a = (b = 1)", "Here a filter stands where a value is expected.", 5),
    ("a IN {1, (b = 1)}", "Here a filter stands where a value is expected.", 10),
  ])
  func `what stands where something else belongs is named where it stands`(
    text: String, words: String, column: Int
  ) throws {
    let error = #expect(throws: QueryError.self) { try Filter(text) }
    #expect(error?.message.contains(words) ?? false, "\(error?.description ?? "")")
    #expect(error?.place?.column == column, "\(error?.description ?? "")")
  }

  @Test
  func `a query whose entity is missing says so, and joined filters of nothing are all or none`()
    throws
  {
    let error = #expect(throws: QueryError.self) { try Query("where a = 1") }
    #expect(
      error?.place?.column == 1 || error?.message.contains("entity") == true,
      "\(error?.description ?? "")")
    let empty = #expect(throws: QueryError.self) { try Query("") }
    #expect(empty?.message.contains("the name of an entity") == true, "\(empty?.description ?? "")")
    #expect(Filter.and([]) == .all && Filter.or([]) == .none)
    #expect(try Filter.and([]).bound().constant == true && Filter.or([]).bound().constant == false)
    let one = try Filter("likes = 1")
    #expect(Filter.and([one]) == one && Filter.or([one]) == one && !(!one) == one)
  }
}
