// Edits and commits in pieces: what they cost to read, and whose a piece is.

import ByteCoding
import DiskAccess
import DiskSimulation
import Journaling
import TestSupport
import Testing

@Suite struct PiecesTests {
  private let disk = SimulatedDisk(seed: 12)

  /// A segment of pieces and batches; a span names the pieces from its first frame on.
  private struct Forgery {
    var segment = SegmentBuilder()
    private(set) var commitCount = 0

    mutating func addPiece(_ payload: [UInt8]) {
      var frame = segment.frame(payload)
      frame.kind = 3
      segment.add(frame)
    }

    mutating func addBatch(_ spans: [Span]) {
      var writer = ByteWriter()
      for field in [1, 0, UInt64(spans.count)] { writer.writeVarint(field) }
      for span in spans { writer.writeEntry(Array(bytes: span), isSpan: true) }
      segment.add(writer.withBytes { Array($0) })
    }
  }

  private func span(_ first: UInt64, _ bytes: [UInt8], pieces count: Int = 1) -> Span {
    Span(
      firstFrame: FrameNumber(first), pieceCount: count, byteCount: bytes.count,
      check: bytes.withUnsafeBytes { Checksum.of($0, salt: 0) })
  }

  /// What the commits of a journal are, up to the first that cannot be read.
  private func commits(
    _ reader: JournalReader, from first: FrameNumber? = nil
  ) throws -> (commits: [[UInt8]], error: JournalError?) {
    var (commits, failure) = ([[UInt8]](), JournalError?.none)
    _ = try reader.forEachFrame(from: first) { frame in
      guard let batch = Batch(frame.payload), frame.kind == .batch else { return true }
      do throws(JournalError) {
        try batch.forEachCommit { (entry) throws(JournalError) in
          if case .spanning(let span) = entry { commits.append(try reader.bytes(of: span)) }
        }
        return true
      } catch {
        failure = error
        return false
      }
    }
    return (commits, failure)
  }

  private func commits(_ forgery: Forgery) throws -> (commits: [[UInt8]], error: JournalError?) {
    try commits(JournalReader(at: "store", on: StoreBuilder([forgery.segment]).disk()))
  }

  private func namedTwice(_ first: UInt64) -> JournalError {
    .damaged(Finding(.piecesNamedTwice(first: FrameNumber(first)), "journal"))
  }

  // MARK: What reading costs

  /// How many bytes a disk is asked for while something is done.
  private func bytesRead(_ disk: SimulatedDisk, _ body: () throws -> Void) rethrows -> Int {
    disk.isTracing = true
    let before = disk.trace.count
    try body()
    disk.isTracing = false
    return disk.trace[before...].filter { $0.contains(" read ") }.reduce(0) { sum, line in
      let words = line.split(separator: " ")
      return sum + (words.dropLast().last.flatMap { Int($0) } ?? 0)
    }
  }

  /// A journal of one segment with many large edits, each with a commit behind it.
  private func fill() throws -> [[UInt8]] {
    var options = JournalOptions.small
    options.segmentByteCount = 64 << 20
    options.windowByteCount = 4 << 20
    let journal = try Journal.open(on: disk, at: "store", options: options).journal
    var dice = Dice(seed: 5)
    let edits = (0..<150).map { _ in [UInt8](randomByteCount: 20_000, from: &dice) }
    for edit in edits {
      try journal.appendEdit(edit)
      try journal.commit([1])
    }
    try journal.close()
    return edits
  }

  @Test func `large edits cost what they take, and not the way to them from the beginning`() throws
  {
    let edits = try fill()
    let whole = edits.count * edits[0].count
    var (read, spans) = ([[UInt8]](), [Span]())
    let reader = try JournalReader(at: "store", on: disk)
    let walked = try bytesRead(disk) {
      _ = try reader.forEachFrame { frame in
        guard frame.kind == .batch, let batch = Batch(frame.payload) else { return true }
        batch.forEachEdit { _, entry in
          guard case .spanning(let span) = entry else { return }
          spans.append(span)
          read.append((try? reader.bytes(of: span)) ?? [])
        }
        return true
      }
    }
    #expect(read == edits)
    #expect(walked < 4 * whole, "\(walked) bytes were read of \(whole)")
    // From the last to the first, a stretch before each is read besides.
    var backwards: [[UInt8]] = []
    let again = try bytesRead(disk) {
      for span in spans.reversed() { backwards.append(try reader.bytes(of: span)) }
    }
    #expect(backwards == edits.reversed())
    #expect(again < 8 * whole, "\(again) bytes were read of \(whole)")
  }

  @Test func `a follower that polls after each large edit does not begin anew each time`() throws {
    var options = JournalOptions.small
    options.segmentByteCount = 64 << 20
    options.windowByteCount = 4 << 20
    let journal = try Journal.open(on: disk, at: "store", options: options).journal
    let tail = try JournalTail(at: "store", on: disk)
    var dice = Dice(seed: 5)
    var (all, read, cost) = ([[UInt8]](), [[UInt8]](), 0)
    for _ in 0..<100 {
      all.append([UInt8](randomByteCount: 20_000, from: &dice))
      try journal.appendEdit(all[all.count - 1])
      try journal.commit([1])
      cost += try bytesRead(disk) {
        _ = try tail.poll { frame, reader in
          guard frame.kind == .batch, let batch = Batch(frame.payload) else { return true }
          batch.forEachEdit { _, entry in
            if case .spanning(let span) = entry {
              read.append((try? reader.bytes(of: span)) ?? [])
            }
          }
          return true
        }
      }
    }
    #expect(read == all)
    let whole = all.count * 20_000
    // Each poll reads the manifest and other heads, and some zeros ahead of the frames.
    #expect(cost < 20 * whole, "\(cost) bytes were read of \(whole)")
    try journal.close()
  }

  @Test func `of an edit that nobody wants only the first piece is read`() throws {
    let journal = try Journal.open(on: disk, at: "store", options: .small).journal
    var dice = Dice(seed: 6)
    let large = [7] + [UInt8](randomByteCount: 400_000, from: &dice)
    try journal.commit(large)
    try journal.close()
    let reader = try JournalReader(at: "store", on: disk)
    var span: Span?
    _ = try reader.forEachFrame { frame in
      guard frame.kind == .batch else { return true }
      Batch(frame.payload)?.forEachCommit { if case .spanning(let found) = $0 { span = found } }
      return true
    }
    let found = try #require(span)
    var unwanted: [UInt8]?
    let cost = try bytesRead(disk) {
      unwanted = try JournalReader(at: "store", on: disk).bytes(of: found) { $0 == 8 }
    }
    #expect(unwanted == [])
    #expect(cost < large.count / 4, "\(cost) bytes were read")
    #expect(try reader.bytes(of: found) { $0 == 7 } == large)
  }

  @Test func `of an edit of which the beginning is wanted no more is read than that needs`() throws
  {
    var dice = Dice(seed: 7)
    let pieces = (0..<4).map { _ in [UInt8](randomByteCount: 100_000, from: &dice) }
    let all = Array(pieces.joined())
    var forgery = Forgery()
    for piece in pieces { forgery.addPiece(piece) }
    let whole = span(1, all, pieces: 4)
    forgery.addBatch([whole])
    let disk = try StoreBuilder([forgery.segment]).disk()
    for count in [1, 64, 99_999, 100_000, 100_001, 250_000, 400_000, 500_000] {
      var beginning: [UInt8] = []
      let cost = try bytesRead(disk) {
        beginning = try JournalReader(at: "store", on: disk).bytes(of: whole.beginning(count))
      }
      #expect(beginning == Array(all.prefix(count)))
      if count <= 64 { #expect(cost < all.count / 2, "\(cost) bytes were read") }
    }
  }

  @Test func `places of pieces are thinned out where there are too many, and stay true`() throws {
    let segment = SegmentBuilder((1...2_000).map { [UInt8(truncatingIfNeeded: $0)] })
    let header = try SegmentHeader.sound(segment.bytes)
    var places = PiecePlaces(largestCount: 8)
    var all: [FrameScanner.Place] = []
    var scanner = try FrameScanner(MemoryFile(segment.bytes), header)
    while true {
      let place = scanner.place
      guard case .frame = try scanner.next() else { break }
      all.append(place)
      places.note(place, in: SegmentNumber(1))
      places.note(place, in: SegmentNumber(1))
    }
    #expect(places.last(upTo: .none, in: SegmentNumber(1)) == nil)
    #expect(places.last(upTo: FrameNumber(2_000), in: SegmentNumber(2)) == nil)
    for (index, place) in all.enumerated() {
      let known = try #require(places.last(upTo: place.expected, in: SegmentNumber(1)))
      #expect(known.expected <= place.expected && all[..<(index + 1)].contains(known))
      #expect(place.expected.rawValue - known.expected.rawValue < 1_024)
    }
  }

  @Test func `a place that is known ahead is gone to, and the way to it not walked again`() throws {
    var forgery = Forgery()
    var dice = Dice(seed: 7)
    let pieces = (0..<400).map { _ in [UInt8](randomByteCount: 900, from: &dice) }
    for piece in pieces { forgery.addPiece(piece) }
    let disk = try StoreBuilder([forgery.segment]).disk()
    let reader = try JournalReader(at: "store", on: disk)
    func read(_ number: Int) throws -> Int {
      let piece = pieces[number - 1]
      var found: [UInt8] = []
      defer { #expect(found == piece) }
      return try bytesRead(disk) { found = try reader.bytes(of: span(UInt64(number), piece)) }
    }
    #expect(try read(400) > 300_000)
    _ = try read(3)
    let ahead = try read(399)
    #expect(ahead < 150_000, "\(ahead) bytes were read on the way")
  }

  // MARK: Whose a piece is

  @Test func `pieces that another batch has named are refused`() throws {
    var forgery = Forgery()
    forgery.addPiece([1, 2])
    forgery.addPiece([3])
    forgery.addBatch([span(1, [1, 2, 3], pieces: 2)])
    forgery.addBatch([span(2, [3])])
    let (commits, error) = try commits(forgery)
    #expect(commits == [[1, 2, 3]])
    #expect(error == namedTwice(2))
  }

  @Test func `pieces may be named in another order than they stand in, with others between`() throws
  {
    var forgery = Forgery()
    forgery.addPiece([1])
    forgery.addPiece([2])
    forgery.addPiece([9])
    forgery.addBatch([])
    forgery.addPiece([3])
    forgery.addBatch([span(5, [3]), span(2, [2])])
    forgery.addBatch([span(1, [1])])
    let (found, error) = try commits(forgery)
    #expect(found == [[3], [2], [1]] && error == nil)
    // A walk that begins behind the pieces knows nothing of them; each may be named once.
    let reader = try JournalReader(at: "store", on: StoreBuilder([forgery.segment]).disk())
    #expect(try commits(reader, from: FrameNumber(6)).commits == [[3], [2], [1]])
    forgery.addBatch([span(2, [2])])
    let again = try JournalReader(at: "store", on: StoreBuilder([forgery.segment]).disk())
    #expect(try commits(again, from: FrameNumber(6)).error == namedTwice(2))
  }

  @Test func `a follower refuses pieces that another batch has named`() throws {
    var forgery = Forgery()
    forgery.addPiece([1])
    forgery.addBatch([span(1, [1])])
    forgery.addBatch([span(1, [1])])
    var store = StoreBuilder([forgery.segment])
    store.manifest.durableThrough = 3
    var errors: [JournalError?] = []
    _ = try JournalTail(at: "store", on: store.disk()).poll { frame, reader in
      Batch(frame.payload)?.forEachCommit { entry in
        guard case .spanning(let span) = entry else { return }
        do throws(JournalError) {
          _ = try reader.bytes(of: span)
          errors.append(nil)
        } catch { errors.append(error) }
      }
      return true
    }
    #expect(errors == [nil, namedTwice(1)])
  }

  @Test func `of many rows of pieces without a name the oldest are forgotten`() {
    var pieces = UnnamedPieces(from: FrameNumber(1), largestRowCount: 3)
    for number in [1, 3, 5, 7, 8, 9] { pieces.add(FrameNumber(UInt64(number))) }
    // 1 is forgotten, 4 is no piece, and of 5 and 6 one is none.
    let refused = [span(1, [0]), span(4, [0]), span(5, [0, 0], pieces: 2)].filter {
      pieces.take($0)
    }
    #expect(refused == [])
    // In the middle: two rows are left of one, and the oldest is forgotten.
    let named = [8, 3, 7, 9, 5, 5].map { pieces.take(span($0, [0])) }
    #expect(named == [true, false, true, true, true, false])
  }

  @Test func `pieces before the first frame there is are dropped`() throws {
    var header = SegmentHeaderBytes()
    header.firstFrame = 5
    let store = StoreBuilder([SegmentBuilder([batchBytes(firstEdit: 1, edits: [[1]])], header)])
    let reader = try JournalReader(at: "store", on: store.disk())
    #expect(throws: JournalError.framesDropped(before: FrameNumber(5))) {
      try reader.bytes(of: span(4, [1]))
    }
  }

  @Test func `an edit whose pieces were dropped with their segment is a hole`() throws {
    var header = SegmentHeaderBytes()
    header.firstFrame = 5
    var store = StoreBuilder([SegmentBuilder([batchBytes(firstEdit: 1, edits: [[1]])], header)])
    var half = EditBufferBytes.Half(from: 2, [Array(bytes: span(4, [1])), [3]])
    half.spans = [0]
    store.edits?.halves = [half, nil]
    let disk = try store.disk()
    var options = JournalOptions.small
    options.windowByteCount = 1 << 20  // as the builders' headers have it
    let (journal, report) = try Journal.open(on: disk, at: "store", options: options)
    try journal.close()
    #expect(report.recoveredEditCount == 0)
    #expect(try Listing(on: disk).edits == [[1]])
  }

  @Test func `a frame that is no piece is refused, and does not keep others from being read`()
    throws
  {
    var forgery = Forgery()
    forgery.addBatch([])
    forgery.addPiece([2])
    let reader = try JournalReader(at: "store", on: StoreBuilder([forgery.segment]).disk())
    for _ in 1...2 {
      #expect(throws: JournalError.self) { try reader.bytes(of: span(1, [1])) }
      #expect(try reader.bytes(of: span(2, [2])) == [2])
    }
    let sentence = namedTwice(2).description
    #expect(sentence.contains("the pieces from frame 2 on belong to something else already"))
  }

  @Test func `pieces that were not there yet when those before them were read are found`() throws {
    var forgery = Forgery()
    forgery.addPiece([1])
    let end = forgery.segment.bytes.count
    forgery.addPiece([2])
    let disk = try StoreBuilder([forgery.segment]).disk()
    let path = "store/journal/0000000001.xj"
    var early = forgery.segment.bytes
    for index in end..<early.count { early[index] = 0 }
    try disk.setContents(path, early)
    let reader = try JournalReader(at: "store", on: disk)
    #expect(try reader.bytes(of: span(1, [1])) == [1])
    try disk.setContents(path, forgery.segment.bytes)
    #expect(try reader.bytes(of: span(2, [2])) == [2])
  }

  @Test func `a follower remembers between polls which pieces were named`() throws {
    var forgery = Forgery()
    forgery.addPiece([1])
    forgery.addBatch([span(1, [1])])
    forgery.addBatch([span(1, [1])])
    var store = StoreBuilder([forgery.segment])
    store.manifest.durableThrough = 3
    let disk = try store.disk()
    let tail = try JournalTail(at: "store", on: disk)
    var errors: [JournalError?] = []
    // Each frame is refused once, and taken when it is handed out again.
    for isTaken in [false, true, false, true, true] {
      var count = 0
      _ = try tail.poll { frame, reader in
        count += 1
        guard count == 1 else { return false }
        if frame.kind == .batch {
          Batch(frame.payload)?.forEachCommit { entry in
            guard case .spanning(let span) = entry else { return }
            do throws(JournalError) {
              _ = try reader.bytes(of: span)
              errors.append(nil)
            } catch { errors.append(error) }
          }
        }
        return isTaken
      }
    }
    #expect(tail.next == FrameNumber(4))
    #expect(errors == [nil, nil, namedTwice(1)])
  }

  @Test func `a walk within a walk leaves the outer one what it has passed`() throws {
    var forgery = Forgery()
    forgery.addPiece([1])
    forgery.addBatch([span(1, [1])])
    forgery.addBatch([span(1, [1])])
    let reader = try JournalReader(at: "store", on: StoreBuilder([forgery.segment]).disk())
    var errors: [JournalError?] = []
    _ = try reader.forEachFrame { frame in
      _ = try? reader.forEachFrame { _ in true }
      guard frame.kind == .batch else { return true }
      Batch(frame.payload)?.forEachCommit { entry in
        guard case .spanning(let span) = entry else { return }
        do throws(JournalError) {
          _ = try reader.bytes(of: span)
          errors.append(nil)
        } catch { errors.append(error) }
      }
      return true
    }
    #expect(errors == [nil, namedTwice(1)])
  }

  // MARK: Whose a piece is before a frame names it

  @Test func `pieces that no frame names yet are known until one does`() throws {
    let journal = try Journal.open(on: disk, at: "store", options: .small).journal
    try journal.commit([1])
    #expect(journal.durableEnd.firstUnnamedPiece == nil)
    try journal.appendEdit([UInt8](repeating: 1, count: 700))
    try journal.appendEdit([UInt8](repeating: 2, count: 700))
    #expect(journal.durableEnd.firstUnnamedPiece == FrameNumber(2))
    try journal.commit([2])
    #expect(journal.durableEnd.firstUnnamedPiece == nil)
    try journal.close()
  }

  @Test func `pieces are known whenever they are durable and what names them is not`() throws {
    let disk = SimulatedDisk(seed: 17)
    let journal = try Journal.open(on: disk, at: "store", options: .small).journal
    try journal.commit([1])
    let before = journal.durableEnd.frame
    var moves = 0
    disk.onCall = { _ in
      let end = journal.durableEnd
      guard end.frame > before else { return }
      moves += 1
      #expect(end.firstUnnamedPiece == before.next)
    }
    // More than a segment, so that its end makes pieces durable while others are still to come.
    var dice = Dice(seed: 17)
    try journal.appendEdit((0..<40_000).map { _ in UInt8(dice.pick(256)) })
    #expect(moves > 0)
    try journal.commit([2], .written)
    #expect(journal.durableEnd.firstUnnamedPiece == before.next)
    disk.onCall = nil
    try journal.sync()
    #expect(journal.durableEnd.firstUnnamedPiece == nil)
    try journal.close()
  }

  @Test func `pieces are known while room is made for what names them`() throws {
    var known: Set<FrameNumber?> = []
    for count in 0..<40 {
      let disk = SimulatedDisk(seed: 13)
      let journal = try Journal.open(on: disk, at: "store", options: .small).journal
      for number in 0..<count {
        try journal.appendEdit([UInt8](repeating: UInt8(number), count: 9))
      }
      disk.onCall = { call in
        // The frames are written while nobody holds the journal's lock.
        if call.kind == .write { known.insert(journal.durableEnd.firstUnnamedPiece) }
      }
      try journal.appendEdit([UInt8](repeating: 1, count: 700))
      disk.onCall = nil
      try journal.close()
    }
    #expect(!known.contains(nil) && known.count > 1, "\(known)")
  }

  // MARK: How much is large in one batch

  /// What the spans of each batch of a store add up to, of those that have more than one.
  private func sums(_ disk: SimulatedDisk) throws -> [Int] {
    var sums: [Int] = []
    _ = try JournalReader(at: "store", on: disk).forEachFrame { frame in
      guard frame.kind == .batch, let batch = Batch(frame.payload) else { return true }
      var spans: [Int] = []
      func take(_ entry: Batch.Entry) {
        if case .spanning(let span) = entry { spans.append(span.byteCount) }
      }
      batch.forEachEdit { _, entry in take(entry) }
      batch.forEachCommit { take($0) }
      if spans.count > 1 { sums.append(spans.reduce(0, +)) }
      return true
    }
    return sums
  }

  @Test func `large edits and commits go to later batches rather than be too much for one`() throws
  {
    var options = JournalOptions.small
    options.spansByteCount = 10_000
    options.segmentByteCount = 64 << 20
    options.windowByteCount = 64 << 10
    let journal = try Journal.open(on: disk, at: "store", options: options).journal
    var dice = Dice(seed: 8)
    var (edits, commits) = ([[UInt8]](), [[UInt8]]())
    for _ in 0..<40 {
      edits.append([UInt8](randomByteCount: .random(in: 2_000...12_000, using: &dice), from: &dice))
      try journal.appendEdit(edits[edits.count - 1])
      guard Bool.random(using: &dice) else { continue }
      commits.append(
        [UInt8](randomByteCount: .random(in: 9_000...12_000, using: &dice), from: &dice))
      _ = try journal.enqueueCommit(epoch: 0) { [commit = commits[commits.count - 1]] _, writer in
        writer.write(commit)
      }
    }
    try journal.close()
    let listing = try Listing(on: disk)
    #expect(listing.edits == edits && listing.commits == commits)
    let sums = try sums(disk)
    #expect(!sums.isEmpty && sums.allSatisfy { $0 <= options.spansByteCount }, "\(sums)")
  }

  @Test func `recovery does not put more large edits into one batch either`() throws {
    let life = JournalLife(disk)
    try life.open()
    for _ in 1...6 { try life.perform(.largeEdit) }
    life.abandon()
    var options = JournalOptions.small
    options.spansByteCount = 2_000
    let image = disk.imageAfterProcessDeath()
    let (journal, report) = try Journal.open(on: image, at: "store", options: options)
    try journal.close()
    #expect(report.recoveredEditCount == 6)
    #expect(try Listing(on: image).edits.count == 6)
    let sums = try sums(image)
    #expect(!sums.isEmpty && sums.allSatisfy { $0 <= options.spansByteCount }, "\(sums)")
  }

  // MARK: Edits that only the buffer holds

  private func leftover(
    _ forgery: Forgery, _ edits: [Span]
  ) throws -> (taken: Int, edits: [[UInt8]]) {
    var store = StoreBuilder([forgery.segment])
    var half = EditBufferBytes.Half(from: 1, edits.map { Array(bytes: $0) })
    half.spans = Set(edits.indices)
    store.edits?.halves = [half, nil]
    let disk = try store.disk()
    var options = JournalOptions.small
    options.windowByteCount = 1 << 20
    let (journal, report) = try Journal.open(on: disk, at: "store", options: options)
    try journal.close()
    return (report.recoveredEditCount, try Listing(on: disk).edits)
  }

  @Test func `leftover edits take their pieces in any order, and each piece once`() throws {
    var forgery = Forgery()
    for number: UInt8 in 1...3 { forgery.addPiece([number]) }
    let apart = [span(3, [3]), span(1, [1, 2], pieces: 2)]
    #expect(try leftover(forgery, apart) == (2, [[3], [1, 2]]))
    #expect(try leftover(forgery, [span(2, [2]), span(1, [1, 2], pieces: 2)]) == (1, [[2]]))
    // Pieces that hold something else are another edit's.
    #expect(try leftover(forgery, [span(1, [9]), span(3, [3])]) == (0, []))
    // Where a frame has named a piece, it is no edit's of the buffer.
    forgery.addBatch([span(2, [2])])
    #expect(try leftover(forgery, [span(1, [1]), span(2, [2]), span(3, [3])]) == (1, [[1]]))
  }

  @Test func `a disk that fails while leftover pieces are read loses no edit`() throws {
    let life = JournalLife(disk)
    try life.open()
    try life.perform(.save)
    try life.perform(.largeEdit)
    let image = disk.imageAfterProcessDeath()
    life.abandon()
    var failures = 0
    for number in 1... {
      let again = image.imageAfterProcessDeath()
      again.faults = [SimulatedFault(.failure(.inputOutput), calls: [.read], number: number)]
      do throws(JournalError) {
        let report = try Journal.open(on: again, at: "store", options: .small).report
        #expect(report.recoveredEditCount == 1)
        break
      } catch {
        guard case .disk = error else { return #expect(Bool(false), "\(error)") }
        failures += 1
      }
      again.faults = []
      let report = try Journal.open(on: again, at: "store", options: .small).report
      #expect(report.recoveredEditCount == 1, "read \(number)")
    }
    #expect(failures > 5)
  }
}

extension [UInt8] {
  fileprivate init(bytes span: Span) {
    var writer = ByteWriter()
    span.write(to: &writer)
    self = writer.withBytes { Array($0) }
  }
}

extension ByteWriter {
  fileprivate mutating func writeEntry(_ bytes: [UInt8], isSpan: Bool) {
    bytes.withUnsafeBytes { writeEntry($0, isSpan: isSpan) }
  }
}
