internal import ObjectPatching
import Testing

/// JSON Patch (RFC 6902) and JSON Merge Patch (RFC 7396) do what their standards say.
@Suite struct JSONPatchDocumentTests {
  private func json(_ text: String) throws -> JSONValue { try JSONValue(parsing: text.utf8) }

  private func error(_ patch: String, on document: String, _ limits: JSONLimits = JSONLimits())
    throws -> JSONError?
  {
    do throws(JSONError) {
      _ = try JSONPatchDocument(JSONValue(parsing: patch.utf8)).applied(
        to: JSONValue(parsing: document.utf8), limits: limits)
      return nil
    } catch {
      return error
    }
  }

  @Test func `the cases of the public suite come out as they say`() throws {
    let cases = try JSONPatchSuite.cases()
    #expect(cases.count == 110)
    for (index, each) in cases.enumerated() {
      do throws(JSONError) {
        let result = try JSONPatchDocument(each.patch).applied(to: each.document)
        #expect(result == each.expected, "case \(index): \(each.patch) gives \(result)")
        let written = try JSONPatchDocument(JSONPatchDocument(each.patch).document)
        #expect(try written.applied(to: each.document) == result)
      } catch {
        #expect(each.expected == nil, "case \(index): \(each.patch): \(error)")
      }
    }
    for text in JSONPatchSuite.withMembersTwice {
      #expect(try error(text, on: #"{"foo":"bar"}"#)?.code == .duplicateKey)
    }
  }

  @Test func `an error names the operation and the member`() throws {
    let document = #"{"a":[1],"b":{}}"#
    let cases: [(String, JSONError.Code, String)] = [
      (
        #"[{"op":"test","path":"/a","value":[1]},{"op":"remove","path":"/x"}]"#,
        .nothingThere, "/1/path"
      ),
      (#"[{"op":"move","from":"/x","path":"/b/c"}]"#, .nothingThere, "/0/from"),
      (#"[{"op":"move","from":"/b","path":"/b/c"}]"#, .badValue, "/0/path"),
      (#"[{"op":"remove","path":""}]"#, .badValue, "/0/path"),
      (#"[{"op":"test","path":"/a","value":[2]}]"#, .testFailed, "/0/value"),
      (#"[{"op":"add","path":"/~2","value":[2]}]"#, .badSyntax, "/0/path"),
      (#"[{"op":"add","path":5,"value":[2]}]"#, .wrongType, "/0/path"),
      (#"[{"op":"add","path":"/b/c"}]"#, .missingMember, "/0"),
      (#"[{"op":"merge","path":""}]"#, .badValue, "/0/op"),
      (#"[5]"#, .wrongType, "/0"), (#"[{"op":"remove","path":"/a/0"},[]]"#, .wrongType, "/1"),
      (#"[{"op":"test","path":"/a/0/x","value":1}]"#, .nothingThere, "/0/path"),
      (#"[{"op":"add","path":"/a/0/x","value":1}]"#, .nothingThere, "/0/path"),
      (#"[{"op":"remove","path":"/a/0/x"}]"#, .nothingThere, "/0/path"),
      (#"[{"op":"replace","path":"/a/0/x/y","value":1}]"#, .nothingThere, "/0/path"),
      (#"{"op":"merge","path":""}"#, .wrongType, ""),
      (
        "[{\"op\":\"add\",\"path\":\"/e\u{301}\",\"value\":1},"
          + "{\"op\":\"add\",\"path\":\"/\u{E9}\",\"value\":1}]", .keysLookTheSame, "/1/path"
      ),
    ]
    for (patch, code, path) in cases {
      let error = try error(patch, on: document)
      #expect(error?.code == code && error?.path == path, "\(patch): \(String(describing: error))")
    }
  }

  @Test func `a document that is moved to where it is stays as it is`() throws {
    let document = try json(#"{"a":[1],"b":{}}"#)
    let patch = try JSONPatchDocument(json(#"[{"op":"move","from":"","path":""}]"#))
    #expect(try patch.applied(to: document) == document)
  }

  @Test func `S81: copies within copies end at a limit`() throws {
    let copy = #"{"op":"copy","from":"","path":"/a"}"#
    let patch = "[" + Array(repeating: copy, count: 600).joined(separator: ",") + "]"
    #expect(try error(patch, on: "{}")?.code == .tooDeep)
    let double = #"{"op":"copy","from":"/x","path":"/x/-"}"#
    let doubling = "[" + Array(repeating: double, count: 100).joined(separator: ",") + "]"
    var limits = JSONLimits()
    limits.valueCount = 100_000
    #expect(try error(doubling, on: #"{"x":[0]}"#, limits)?.code == .tooLarge)
    // Few values may be long.
    let long = String(repeating: "l", count: 100_000)
    let again = #"{"op":"copy","from":"/l","path":"/x/-"}"#
    let copies = "[" + Array(repeating: again, count: 100).joined(separator: ",") + "]"
    #expect(try error(copies, on: #"{"x":[],"l":"\#(long)"}"#, limits)?.code == .tooLarge)
  }

  @Test func `pointers are read and written with their escapes`() throws {
    let pointer = try JSONPointer("/a~1b/~01//0")
    #expect(pointer.tokens == ["a/b", "~1", "", "0"] && pointer.text == "/a~1b/~01//0")
    #expect(try JSONPointer("").tokens == [])
    for wrong in ["a", "/~", "/~2", "a/"] {
      #expect(throws: JSONError.self) { try JSONPointer(wrong) }
    }
  }

  /// Appendix A of RFC 7396.
  private static let merges = [
    (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#), (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
    (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
    (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
    (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
    (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
    (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
    (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#), (#"{"a":"foo"}"#, "null", "null"),
    (#"{"a":"foo"}"#, #""bar""#, #""bar""#), (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
    ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
    ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
  ]

  @Test func `the merges of the standard come out as it says`() throws {
    for (document, patch, expected) in Self.merges {
      let result = try JSONMergePatch(json(patch)).applied(to: json(document))
      #expect(try result == json(expected), "\(patch) on \(document) gives \(result)")
    }
  }

  @Test func `a merge patch of two documents makes one the other, or says that none can`() throws {
    for (document, _, expected) in Self.merges where !expected.contains(":null") {
      let (one, other) = (try json(document), try json(expected))
      let patch = try JSONMergePatch(from: one, to: other)
      #expect(try patch.applied(to: one) == other, "\(document) to \(expected): \(patch.document)")
    }
    #expect(try JSONMergePatch(from: json(#"{"a":1}"#), to: json(#"{"a":1}"#)).document == [:])
    for same in ["0", "[0]", "null", #""a""#] {
      let document = try json(same)
      #expect(
        try JSONMergePatch(from: document, to: document).applied(to: document) == document)
    }
    do throws(JSONError) {
      _ = try JSONMergePatch(from: ["a": 1], to: ["a": ["b": ["c": .null]]])
      Issue.record("a null cannot be said")
    } catch {
      #expect(error.path == "/a/b/c" && error.code == .badValue)
    }
  }

  @Test func `S81: a merge that adds a key beside one that looks the same is refused`() throws {
    let (document, patch) = (
      try json("{\"a\":{\"e\u{301}\":1}}"), try json("{\"a\":{\"\u{E9}\":2}}")
    )
    do throws(JSONError) {
      _ = try JSONMergePatch(patch).applied(to: document)
      Issue.record("two keys that look the same")
    } catch {
      #expect(error.code == .keysLookTheSame && error.path == "/a/\u{E9}")
    }
  }
}
