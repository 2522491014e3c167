// The cache holds no more than it may, lets go what was used least recently, and serves many threads.

import DiskAccess
import Journaling
import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct BlockCaches {
  private let samples = (0..<2_000).map { number in
    Sample(
      object(UInt64(number)),
      [1: .integer(number * 1_000), 2: .string("text \(number % 50)"), 3: .real(Double(number))])
  }

  private func bytes() throws -> [UInt8] {
    try WrittenRun(samples) { $0.blockRowCount = 100 }.bytes
  }

  private func openRun(
    _ cache: BlockCache, _ given: [UInt8]? = nil
  ) throws -> (run: Run, file: CountingFile) {
    let file = CountingFile(MemoryFile(try given ?? bytes(), name: "run"))
    let run = try Run("run", in: OneFile(file), store: runStore, cache: cache)
    file.reset()
    return (run, file)
  }

  @Test func `a cache never holds more than its bound, and forgets a run that is let go`() throws {
    for bound in [0, 200, 2_000, 20_000, 1 << 20] {
      let cache = BlockCache(largestByteCount: bound)
      var dice = Dice(seed: UInt64(bound))
      var runs = [try openRun(cache).run, try openRun(cache).run]
      for _ in 0..<600 {
        let sample = samples[dice.pick(samples.count)]
        #expect(try runs[dice.pick(2)].row(of: sample.object) == .found(sample.row ?? Row()))
        #expect(cache.byteCount <= bound)
        #expect((cache.byteCount == 0) == (cache.blockCount == 0))
      }
      #expect(bound < 2_000 || cache.byteCount > bound / 2 || cache.blockCount == 2 * 20)
      let whole = cache.blockCount
      runs.removeLast()
      #expect(whole < 5 || cache.blockCount < whole)
      runs.removeLast()
      #expect(cache.blockCount == 0 && cache.byteCount == 0)
    }
  }

  @Test func `what is in the cache is not read again`() throws {
    let (run, file) = try openRun(BlockCache(largestByteCount: 1 << 20))
    _ = try run.value(of: object(5), key(1))
    #expect(file.readCount == 2, "a directory and a column")
    _ = try run.value(of: object(99), key(1))
    #expect(file.readCount == 2)
    _ = try run.row(of: object(7))
    #expect(file.readCount == 3, "the columns of a row are read at once")
    for number in UInt64(0)..<100 { _ = try run.row(of: object(number)) }
    #expect(file.readCount == 3)
    _ = try run.stored(object(7))
    #expect(file.readCount == 4, "the column of commits")
    _ = try run.row(of: object(100_000))
    #expect(file.readCount == 4, "the index tells that there is none")
  }

  @Test func `what two read at the same time is kept once`() throws {
    let cache = BlockCache(largestByteCount: 1 << 20)
    let (run, file) = try openRun(cache)
    // A directory and a column are read by another while the directory is read, and then a column while it is.
    for (key, value) in [(1, .integer(5_000)), (2, .string("text 5"))] as [(UInt32, Value)] {
      var byteCount: Int?
      file.onNextRead = {
        do {
          #expect(try run.value(of: object(5), ObjectStoreTests.key(key)) == .found(value))
        } catch {
          Issue.record(error)
        }
        byteCount = cache.byteCount
      }
      #expect(try run.value(of: object(5), ObjectStoreTests.key(key)) == .found(value))
      #expect(byteCount != nil && cache.byteCount == byteCount && cache.blockCount == 1)
    }
  }

  @Test func `a column is read without the others`() throws {
    let (run, file) = try openRun(BlockCache(largestByteCount: 0))
    _ = try run.value(of: object(5), key(1))
    #expect(file.byteCount < run.index.entries[0].sealedByteCount / 2)
  }

  @Test func `what was used least recently goes first`() throws {
    let probe = BlockCache(largestByteCount: 1 << 20)
    let (probing, _) = try openRun(probe)
    for block in UInt64(0)..<3 { _ = try probing.value(of: object(block * 100), key(2)) }
    let (run, file) = try openRun(BlockCache(largestByteCount: probe.byteCount + 100))
    func readCount(_ block: UInt64) throws -> Int {
      file.reset()
      _ = try run.value(of: object(block * 100), key(2))
      return file.readCount
    }
    #expect(try (0..<3).map { try readCount($0) } == [2, 2, 2], "three blocks fit")
    #expect(try readCount(0) == 0)
    #expect(try readCount(3) == 2, "the fourth drives out the second")
    #expect(try [2, 0, 3].map { try readCount($0) } == [0, 0, 0])
    #expect(try readCount(1) == 2)
  }

  @Test func `a block that is asked for what it has not is used`() throws {
    // Even numbers have rows.
    let samples = (0..<300).map { Sample(object(UInt64($0 * 2)), [1: .integer($0)]) }
    let bytes = try WrittenRun(samples) { $0.blockRowCount = 100 }.bytes
    let probe = BlockCache(largestByteCount: 1 << 20)
    let (probing, _) = try openRun(probe, bytes)
    for block in UInt64(0)..<2 { #expect(try probing.handle(of: object(block * 200 + 1)) == nil) }
    let (run, file) = try openRun(BlockCache(largestByteCount: probe.byteCount + 100), bytes)
    func readCount(_ number: UInt64) throws -> Int {
      file.reset()
      #expect(try run.handle(of: object(number)) == nil)
      return file.readCount
    }
    #expect(try [1, 201, 3].map { try readCount($0) } == [1, 1, 0])
    #expect(try readCount(401) == 1, "the third drives out the second")
    #expect(try [5, 403, 203].map { try readCount($0) } == [0, 0, 1])
  }

  @Test(arguments: [false, true])
  func `many threads read the same run, through a cache that is too small`(
    hasGaps: Bool
  ) throws {
    // With gaps every third number has a row, and every fifth of these is deleted.
    let samples =
      hasGaps
      ? self.samples.enumerated().map { place, sample in
        Sample(object(UInt64(place * 3)), place % 5 == 0 ? nil : sample.row)
      } : self.samples
    let stored = Dictionary(uniqueKeysWithValues: samples.map { ($0.object, $0.stored) })
    let bytes = try WrittenRun(samples) { $0.blockRowCount = 100 }.bytes
    let count = samples[samples.count - 1].object.number + 1
    for bound in [0, 5_000, 1 << 20] {
      let cache = BlockCache(largestByteCount: bound)
      let run = try run(bytes, cache)
      let tally = Tally()
      let threads = try (0..<4).map { thread in
        try BackgroundThread {
          var dice = Dice(seed: UInt64(thread))
          for _ in 0..<300 {
            let asked = object(UInt64(dice.pick(Int(count))))
            let expected = stored[asked]
            do throws(RunError) {
              if try run.stored(asked) != expected { tally.violation("\(asked) is another one") }
              let handle = try run.handle(of: asked)
              if handle.map(\.isDeleted) != expected.map({ $0.row == nil }) {
                tally.violation("\(asked) is there or not, or deleted or not")
              }
              let value = try run.value(of: asked, key(2))
              let isRight =
                switch value {
                case .absent: expected == nil
                case .deleted: expected != nil && expected?.row == nil
                case .found(let value): expected?.row != nil && value == expected?.row?[key(2)]
                }
              if !isRight { tally.violation("another value") }
            } catch {
              tally.violation("\(error)")
            }
            if cache.byteCount > bound { tally.violation("\(cache.byteCount) bytes") }
          }
        }
      }
      for thread in threads { thread.join() }
      #expect(tally.violations == "")
    }
  }
}

/// A folder that has one file.
private final class OneFile: ReadableFolder {
  let name = "folder"
  private let file: CountingFile

  init(_ file: CountingFile) { self.file = file }

  func fileForReading(_ name: String) throws(DiskError) -> any ReadableFile { file }

  func folderForReading(_ name: String) throws(DiskError) -> any ReadableFolder {
    throw DiskError(.openFolder, name, .notFound)
  }

  func names() throws(DiskError) -> [String] { [file.name] }

  func information(of name: String) throws(DiskError) -> FileInformation? { try file.information() }

  func fileSystem() throws(DiskError) -> FileSystemKind { FileSystemKind(magicNumber: 0xEF53) }
}

/// A file that counts what is read of it.
private final class CountingFile: ReadableFile, @unchecked Sendable {
  private let file: MemoryFile
  private let lock = Lock()
  private(set) var readCount = 0
  private(set) var byteCount = 0
  /// Done once, while the next bytes are read; by one thread alone.
  var onNextRead: (() -> Void)?

  init(_ file: MemoryFile) { self.file = file }

  var name: String { file.name }

  func reset() { lock.withLock { (readCount, byteCount) = (0, 0) } }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(DiskError) -> Int {
    let meanwhile = lock.withLock {
      readCount += 1
      byteCount += buffer.count
      defer { onNextRead = nil }
      return onNextRead
    }
    meanwhile?()
    return try file.read(into: buffer, at: offset)
  }

  func information() throws(DiskError) -> FileInformation { try file.information() }

  func advise(_ advice: FileAdvice) throws(DiskError) {}

  func close() throws(DiskError) {}
}
