import Journaling
import ObjectModel
import ObjectStore
import TestSupport
import Testing

/// The section of docs/format.md on runs against the code, both ways.
struct RunFormatDocumentTests {
  private let page: FormatDocument
  private let block: AnnotatedBytes

  private static let store = StoreIdentity(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)

  init() throws {
    page = try FormatDocument.ofThisRepository()
    block = try #require(page.blocks["run"])
  }

  private func object(_ number: UInt64) -> ObjectID {
    ObjectID(entity: EntityNumber(rawValue: 3), number: number, store: Self.store.tag)
  }

  private let row = Row([key(5): "Zoë", key(7): 2])

  @Test func `the run is written as the page states`() throws {
    #expect(block.contradictions == [])
    let written = try WrittenRun(
      [Sample(object(300), row, changed: 8), Sample(object(302), nil, changed: 9)],
      store: Self.store,
      salt: 0x3333_4444_5555_6666)
    #expect(written.bytes == block.bytes)
  }

  @Test func `the run is read as the page states`() throws {
    let run = try Run(
      "run", in: MemoryFolder("run", block.bytes), store: Self.store,
      cache: BlockCache(largestByteCount: 1 << 20))
    try run.verify()
    #expect(try run.row(of: object(300)) == .found(row))
    #expect(try run.stored(object(302)) == StoredRow(nil, changed: 9))
    #expect(try run.row(of: object(301)) == .absent)
    #expect(try run.row(of: object(302)) == .deleted)
    #expect(run.rowCount == 2 && run.deletedCount == 1 && run.blockCount == 1)
  }

  @Test(arguments: [
    ("Header of a run", RunHeader.byteCount, "header"),
    ("Footer of a run", RunFooter.byteCount, "footer"),
    ("Seal", Seal.byteCount, "block 1: seal"), ("Seal", Seal.byteCount, "index: seal"),
    ("Index of a run", RunIndex.Entry.byteCount, nil),
  ])
  func `a table of fields leaves no byte out, and the example follows it`(
    heading: String, byteCount: Int, section: String?
  ) throws {
    let table = try #require(page.table(under: heading))
    #expect(table.columns == ["Offset", "Length", "Type", "Field", "Meaning"])
    let fields = block.sections.first { $0.title == section }?.fields
    #expect((fields == nil) == (section == nil))
    var end = 0
    for (index, row) in table.rows.enumerated() {
      let length = try #require(Int(row[1]))
      #expect(Int(row[0]) == end, "\(heading): \(row[3])")
      if let field = fields?[index] {
        #expect(field.name == row[3] && field.bytes.count == length, "\(heading): \(row[3])")
      }
      end += length
    }
    #expect(end == byteCount)
    #expect(fields.map { $0.count == table.rows.count } ?? true)
  }

  @Test func `the kinds of frames are those of the code`() throws {
    let table = try #require(page.table(under: "Runs"))
    let ofCode = [FrameKind.rows, .runIndex].map { String($0.rawValue) }
    #expect(table.rows.map { $0[0] } == ofCode)
  }

  @Test func `the limits are those of the code`() {
    #expect(page.prose.contains("at most \(RunLimits.rowCount), and at most last"))
    #expect(page.prose.contains("the last one is at most \(RunLimits.span) behind"))
  }
}
