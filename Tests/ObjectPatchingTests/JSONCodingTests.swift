internal import FoundationEssentials
internal import ObjectModel
internal import ObjectPatching
internal import TestSupport
import Testing

/// Patches become JSON and come back; what is no patch is refused for what it is, where it is.
@Suite struct JSONCodingTests {
  let model: ManagedObjectModel

  init() throws { model = try JSONPatches.model() }

  private func read(_ text: String) throws(PatchError) -> Patch {
    try Patch(json: Data(text.utf8), model: model)
  }

  /// An update of a person's attributes.
  private func post(_ members: String) -> String {
    #"{"patch":1,"objects":[{"entity":"Post","id":{"guid":"\#(Self.guid)"},\#(members)}]}"#
  }

  private static let guid = "0F8FAD5B-D9CB-469F-A165-70867728950E"

  @Test func `S79: every patch comes back from its JSON as it was, and keeps the schema`() throws {
    let schema = try JSONSchema.ofPatches()
    let campaign = Campaign(count: "XJ_JSON_PATCHES", inGate: 300)
    var dice = Dice(seed: campaign.seed)
    for round in 0..<campaign.count {
      let patch = dice.patch(model)
      let json = try patch.json(isIndented: dice.chance(2))
      let note: Comment = "seed \(campaign.seed), round \(round)"
      let back = try Patch(json: json, model: model)
      #expect(back == patch, note)
      #expect(try back.json() == patch.json(), note)
      #expect(schema.findings(in: try JSONValue(parsing: json)) == [], note)
    }
  }

  @Test func `S79: values are written as the shape says`() throws {
    let date = Date(timeIntervalSinceReferenceDate: 817_381_800.25)
    let patch = Patch(objects: [
      ObjectPatch(
        updating: PatchIdentity("Post", "guid", .uuid(try #require(UUID(uuidString: Self.guid)))),
        old: ["date": nil, "integer": .integer(9_007_199_254_740_993)],
        new: [
          "date": .date(date), "integer": nil, "data": .data(Data([0, 1, 254])), "real": 1.0,
          "decimal": .decimal(Decimal(string: "12.50") ?? 0), "counter": .counter(3),
          "set": .set(["b", "a"]), "seen": ["at": .date(date)], "read": .date(date),
          "url": .url(try #require(URL(string: "https://example.com/a"))),
        ])
    ])
    let json = #"""
      {"patch":1,"objects":[{"entity":"Post","id":{"guid":"0F8FAD5B-D9CB-469F-A165-70867728950E"},
      "old":{"date":null,"integer":9007199254740993},
      "new":{"counter":3,"data":"AAH+","date":"2026-11-26T10:30:00.25Z","decimal":"12.5",
      "integer":null,"read":"2026-11-26T10:30:00.25Z","real":1.0,
      "seen":{"at":{"$date":"2026-11-26T10:30:00.25Z"}},"set":["a","b"],"url":"https://example.com/a"},
      "types":{"counter":"counter","data":"data","date":"date","decimal":"decimal","read":"date",
      "set":"set","url":"url"}}]}
      """#.replacing("\n", with: "")
    #expect(String(decoding: try patch.json(), as: UTF8.self) == json)
    #expect(try read(json) == patch)
  }

  @Test func `S1: a value that is set to nothing is told from one that is not named`() throws {
    let patch = try read(post(#""old":{},"new":{"string":null}"#))
    #expect(patch.objects[0].new?["string"] == .some(.null))
    #expect(patch.objects[0].new?["integer"] == nil && patch.objects[0].kind == .update)
    #expect(try read(post(#""new":{}"#)).objects[0].kind == .creation)
    #expect(try read(post(#""old":{}"#)).objects[0].kind == .deletion)
  }

  @Test func `the model says of which types values are, and a value that disagrees is kept`() throws
  {
    let patch = try read(
      post(
        #""new":{"real":3,"integer":3.0,"counter":4e2,"decimal":12.5,"date":"2026-11-21T11:30:00+01:00","#
          + #""uuid":"\#(Self.guid.lowercased())","set":[1,1],"data":"not base64","boolean":1}"#))
    let new = try #require(patch.objects[0].new)
    #expect(new["real"] == 3.0 && new["integer"] == 3 && new["counter"] == .counter(400))
    #expect(new["decimal"] == .decimal(12.5) && new["uuid"]?.uuid?.uuidString == Self.guid)
    #expect(new["date"] == .date(Date(timeIntervalSinceReferenceDate: 816_949_800)))
    #expect(new["set"] == .set([1]) && new["data"] == "not base64" && new["boolean"] == 1)
  }

  @Test func `every date comes back by its bits`() throws {
    var dice = Dice(seed: Campaign(count: "XJ_JSON_PATCHES", inGate: 1).seed)
    let edges: [Double] = [
      0, -0.0, 1, -1, 0.1, -0.1, 1e-9, 1e-20, 817_381_800.123_456_7, 1e11, 2.5e11, 3e11, 1e300,
      .nan, .infinity, -.infinity, -63_114_076_800, 252_455_615_999.9,
    ]
    let drawn = (0..<500).map { _ in dice.chance(2) ? dice.real() : Double(dice.pick(1 << 40)) / 997
    }
    for seconds in edges + drawn {
      let patch = Patch(objects: [
        ObjectPatch(
          creating: PatchIdentity("Person", "name", "ann"),
          new: ["born": .date(Date(timeIntervalSinceReferenceDate: seconds))])
      ])
      #expect(try Patch(json: patch.json(), model: model) == patch, "\(seconds)")
    }
  }

  private static let refusals: [(String, PatchError.Code, String)] = [
    ("", .malformed, ""), ("[]", .malformed, ""), (#"{"patch":1}"#, .malformed, ""),
    (#"{"patch":2,"objects":[]}"#, .unknownVersion, "/patch"),
    (#"{"patch":1,"objects":{}}"#, .malformed, "/objects"),
    (#"{"patch":1,"objects":[],"more":0}"#, .malformed, "/more"),
    (#"{"patch":1,"objects":[7]}"#, .malformed, "/objects/0"),
    (#"{"patch":1,"objects":[{"entity":"Post"}]}"#, .malformed, "/objects/0"),
    (#"{"patch":1,"objects":[{"entity":"Pots","id":{}}]}"#, .unknownEntity, "/objects/0/entity"),
    (#"{"patch":1,"objects":[{"entity":"Thing","id":{}}]}"#, .unknownEntity, "/objects/0/entity"),
    (#"{"patch":1,"objects":[{"entity":"Post","id":{}}]}"#, .wrongIdentifier, "/objects/0/id"),
    (#"{"patch":1,"objects":[{"entity":"Post","id":7}]}"#, .wrongIdentifier, "/objects/0/id"),
    (#"{"patch":1,"objects":[{"entity":"Post","id":"7"}]}"#, .wrongIdentifier, "/objects/0/id"),
    (
      #"{"patch":1,"objects":[{"entity":"Post","id":{"name":"x"}}]}"#, .wrongIdentifier,
      "/objects/0/id/name"
    ),
    (
      #"{"patch":1,"objects":[{"entity":"Post","id":{"guid":"x"}}]}"#, .wrongIdentifier,
      "/objects/0/id/guid"
    ),
    (
      #"{"patch":1,"objects":[{"entity":"Person","id":{"name":"x"},"new":{"posts":[]}}]}"#,
      .unknownKey, "/objects/0/new/posts"
    ),
    (
      #"{"patch":1,"objects":[{"entity":"Person","id":{"name":"x"},"relationships":{"name":{}}}]}"#,
      .unknownKey, "/objects/0/relationships/name"
    ),
    (
      #"{"patch":1,"objects":[{"entity":"Person","id":{"name":"x"},"new":{"a":{"$b":1}}}]}"#,
      .wrongType, "/objects/0/new/a/$b"
    ),
    (
      #"{"patch":1,"objects":[{"entity":"Person","id":{"name":"x"},"new":{"a":[null]}}]}"#,
      .wrongType, "/objects/0/new/a/0"
    ),
    (
      #"{"patch":1,"objects":[{"entity":"Person","id":{"name":"x"},"new":{"a":1e999}}]}"#,
      .wrongType, "/objects/0/new/a"
    ),
    (
      #"{"patch":1,"objects":[{"entity":"Person","id":{"name":"x"},"types":{"a":"dog"}}]}"#,
      .wrongType, "/objects/0/types/a"
    ),
    (
      #"{"patch":1,"objects":[{"entity":"Person","id":{"name":"x"},"new":{},"types":{"b":"date"}}]}"#,
      .unknownKey, "/objects/0/types/b"
    ),
    (
      #"{"patch":1,"objects":[{"entity":"Person","id":{"name":"x"},"new":{"a":1,"a":2}}]}"#,
      .repeatedName, "/objects/0/new/a"
    ),
  ]

  @Test(arguments: refusals)
  func `S81: what is no patch is refused with its path`(
    text: String, code: PatchError.Code, path: String
  ) {
    let error = #expect(throws: PatchError.self) { try read(text) }
    #expect(error?.code == code && error?.path.description == path, "\(String(describing: error))")
    #expect(error?.description.hasSuffix(".") == true)
  }

  @Test func `S81: the schema refuses what is refused for its shape`() throws {
    let schema = try JSONSchema.ofPatches()
    let shapes = [#""id":{}"#, #""id":7"#, #""id":"7""#, #""$b""#, #""dog""#]
    var texts = Self.refusals.filter { text, code, _ in
      [.malformed, .unknownVersion].contains(code) || shapes.contains { text.contains($0) }
    }.map(\.0)
    texts += [
      #"{"added":{}}"#, #"{"added":[{"entity":"Page"}]}"#, #"{"kind":"many"}"#, #"{"more":[]}"#,
      #"{"removed":[{"entity":"Page","id":{"a":1,"b":2}}]}"#, #"{"patches":[{"id":{"a":1}}]}"#,
      #"{"added":[{"entity":"Page","id":{"a":1},"position":-1}]}"#,
      #"{"added":[{"entity":"Page","id":{"a":1},"old":{}}]}"#,
    ].map { post(#""relationships":{"pages":\#($0)}"#) }
    texts += [
      #""old":[]"#, #""new":7"#, #""new":{"a":{"$date":{}}}"#, #""new":{"a":{"$real":"x"}}"#,
      #""new":{"a":{"$set":{}}}"#, #""new":{"a":{"$uuid":"","b":1}}"#, #""types":["a"]"#,
    ].map(post)
    #expect(texts.count > 24)
    for text in texts where !text.isEmpty {
      #expect(schema.findings(in: try JSONValue(parsing: text.utf8)) != [], "\(text)")
      #expect(throws: PatchError.self) { try read(text) }
    }
  }

  @Test func `S81: what is read as a marked value, the schema has, too`() throws {
    let schema = try JSONSchema.ofPatches()
    var readCount = 0
    for mark in [
      "real", "decimal", "data", "date", "uuid", "url", "counter", "set", "reference", "dictionary",
    ] {
      for value in [
        "1.5", "3", "-0.0", "1e400", "12345678901234567890", "true", "null", "[]", "{}", "[1]",
        #""""#, #""inf""#, #""nan""#, #""nan:7ff8000000000001""#, #""1.5""#, #""AAAA""#,
        #""2026-11-21T10:30:00Z""#, #""0F8FAD5B-D9CB-469F-A165-70867728950E""#,
        #""xjournal://0123456789abcdef/0/2/17""#, #""https://example.com""#,
      ] {
        let text = post(#""new":{"a":[{"$\#(mark)":\#(value)}]}"#)
        guard (try? read(text)) != nil else { continue }
        readCount += 1
        #expect(schema.findings(in: try JSONValue(parsing: text.utf8)) == [], "\(text)")
      }
    }
    #expect(readCount > 12)
    #expect(
      try read(post(#""new":{"a":[{"$real":1.5}]}"#)).objects[0].new?["a"] == [1.5])
  }

  @Test(arguments: [
    #"{"$counter":"+5"}"#, #"{"$integer":"+5"}"#, #"{"$real":"nan:7FF8000000000001"}"#,
    #"{"$real":"nan:+7ff8000000000001"}"#,
  ])
  func `S81: what the reader does not take for a marked value, the schema does not, either`(
    value: String
  ) throws {
    let text = post(#""new":{"any":[\#(value)]}"#)
    let error = #expect(throws: PatchError.self) { try read(text) }
    #expect(error?.code == .wrongType)
    #expect(try JSONSchema.ofPatches().findings(in: JSONValue(parsing: text.utf8)) != [])
  }

  @Test func `S81: an identifier of nothing is refused, by the schema as well`() throws {
    let text = #"{"patch":1,"objects":[{"entity":"Post","id":{"guid":null},"new":{}}]}"#
    #expect(throws: PatchError.self) { try read(text) }
    #expect(try JSONSchema.ofPatches().findings(in: JSONValue(parsing: text.utf8)) != [])
  }

  @Test func `S79: a whole number is one however it is written, to the schema as well`() throws {
    let schema = try JSONSchema.ofPatches()
    let page = #""entity":"Page","id":"xjournal://0123456789abcdef/0/3/1""#
    for number in ["3", "3.0", "3e0", "30e-1"] {
      let text = post(
        #""new":{"any":[{"$counter":\#(number)}]},"#
          + #""relationships":{"pages":{"added":[{\#(page),"position":\#(number)}]}}"#)
      let patch = try read(text).objects[0]
      #expect(patch.new?["any"] == .array([.counter(3)]))
      #expect(patch.relationships["pages"]?.added.map(\.position) == [3])
      #expect(schema.findings(in: try JSONValue(parsing: text.utf8)) == [], "\(number)")
    }
    let text = post(#""relationships":{"pages":{"added":[{\#(page),"position":1.5}]}}"#)
    #expect(throws: PatchError.self) { try read(text) }
    #expect(schema.findings(in: try JSONValue(parsing: text.utf8)) != [])
  }

  @Test func `S79: the largest decimals come back`() throws {
    // No exponent is 128, so that their digits end in zeros.
    for text in ["10e127", "-1000e127", "12345678901234567890123456789012345678e127"] {
      let large = try #require(Decimal(string: text))
      try #require(!large.isNaN)
      for (key, value) in [
        ("decimal", .decimal(large)), ("any", .decimal(large)), ("any", [.decimal(large)]),
      ] as [(String, Value)] {
        let patch = Patch(objects: [
          ObjectPatch(
            updating: PatchIdentity(
              "Post", "guid", .uuid(try #require(UUID(uuidString: Self.guid)))),
            old: [key: nil], new: [key: value])
        ])
        #expect(try Patch(json: patch.json(), model: model) == patch, "\(text) in \(key)")
      }
    }
  }

  @Test func `whole numbers beyond 64 bits are decimals, reals that are the same, or refused`()
    throws
  {
    let large = "12345678901234567890"
    let decimal = Value.decimal(try #require(Decimal(string: large)))
    let new = try read(post("\"new\":{\"any\":[\(large)],\"real\":\(large)}"))
      .objects[0].new
    #expect(new?["any"] == .array([decimal]))
    // It is not what an attribute for reals can be.
    #expect(new?["real"] == decimal)
    let exact = try read(post(#""new":{"real":18446744073709551616,"decimal":\#(large)}"#))
    #expect(exact.objects[0].new?["real"] == .real(0x1p64))
    #expect(exact.objects[0].new?["decimal"] == decimal)
    let rounded = try read(post(#""new":{"real":12345678901234567890.0,"mood":1e30}"#))
    #expect(rounded.objects[0].new?["real"] == .real(12345678901234567890.0))
    #expect(rounded.objects[0].new?["mood"] == .real(1e30))
    // Dynamic attributes hold no decimals.
    for (key, digits) in [
      ("real", String(repeating: "7", count: 60)), ("any", String(repeating: "7", count: 60)),
      ("mood", large),
    ] {
      let error = #expect(throws: PatchError.self) {
        try read(post("\"new\":{\"\(key)\":\(digits)}"))
      }
      #expect(error?.code == .wrongType && error?.path.description == "/objects/0/new/\(key)")
    }
  }

  @Test func `S81: objects of other entities and wrong members of relationships are refused`()
    throws
  {
    let cases: [(String, PatchError.Code, String)] = [
      (#""author":{"kind":"toMany"}"#, .malformed, "author/kind"),
      (
        #""author":{"added":[{"entity":"Page","id":"xjournal://0123456789abcdef/0/3/1"}]}"#,
        .wrongEntity, "author/added/0/entity"
      ),
      (
        #""author":{"added":[{"entity":"Person","id":{"name":"a"}},{"entity":"Editor","id":{"name":"b"}}]}"#,
        .wrongType, "author/added"
      ),
      (
        #""readers":{"removed":[{"entity":"Person","id":{"name":"a"},"position":1}]}"#, .wrongType,
        "readers/removed/0/position"
      ),
      (
        #""pages":{"added":[{"entity":"Page","id":"xjournal://0123456789abcdef/0/3/1","position":-1}]}"#,
        .wrongType, "pages/added/0/position"
      ),
      (#""pages":{"patches":[{"entity":"Post","id":{}}]}"#, .wrongEntity, "pages/patches/0/entity"),
    ]
    for (relationship, code, path) in cases {
      do throws(PatchError) {
        _ = try read(post(#""relationships":{\#(relationship)}"#))
        Issue.record("\(relationship) is read")
      } catch {
        #expect(error.code == code, "\(error)")
        #expect(error.path.description == "/objects/0/relationships/" + path)
      }
    }
  }

  @Test func `S81: depth bombs are refused, of JSON and of values`() throws {
    let deep = String(repeating: "[", count: 400) + String(repeating: "]", count: 400)
    for key in ["any", "set", "mood"] {
      let error = #expect(throws: PatchError.self) {
        try read(post("\"new\":{\"\(key)\":\(deep)}"))
      }
      #expect(error?.code == .tooLarge)
    }
    let bomb = String(repeating: #"{"a":"#, count: 100_000)
    #expect(throws: PatchError.self) { try read(post("\"new\":{\"any\":\(bomb)")) }
  }
}
