// Runs put together byte by byte as docs/format.md has them, with every field free to be wrong and every check
// right.

import ByteCoding
import Journaling
import ObjectModel
import ObjectStore
import PropertyListCoding
import TestSupport

/// A run in the making.
struct RunForgery {
  struct Column {
    var key: UInt32?
    /// The LZ4 blocks.
    var stored: [UInt8]
    /// The lengths that the directory claims.
    var storedByteCount: UInt64
    var byteCount: UInt64
    let listByteCount: Int

    init(_ key: UInt32?, list: [UInt8]) {
      self.key = key
      listByteCount = list.count
      stored = RunForgery.blocks(list)
      (storedByteCount, byteCount) = (UInt64(stored.count), UInt64(list.count))
    }

    init(_ key: UInt32?, _ values: [Value]) throws {
      self.init(key, list: try PropertyListWriter.encode(.array(values)))
    }
  }

  struct Block {
    var format: UInt8 = 1
    var flags: UInt8 = 0
    var first: UInt64
    var rowCount: UInt64
    /// What stands between row count and column count.
    var middle: [UInt8] = []
    var commits: Column
    var columns: [Column]
    var columnCount: UInt64
    /// What stands behind the columns.
    var rest: [UInt8] = []
    var storedDirectory: [UInt8]?
    // What the index claims
    var last: UInt64
    var rowCountOfIndex: UInt32
    var directoryByteCount: UInt32?
    var storedDirectoryByteCount: UInt32?
    var sealedByteCount: UInt32?
    // What the seal claims
    var kind: UInt8 = 32
    var number: UInt64?
    var flagsOfSeal: UInt8 = 0
    var payloadByteCount: UInt32?
    var previousBodyCheck: UInt64?
    var unsyncedFrameCount: UInt32 = 0

    init(_ first: UInt64, rowCount: UInt64, _ columns: [Column]) throws {
      commits = try Column(nil, (0..<Int(rowCount)).map { .integer($0 + 1) })
      (self.first, self.rowCount, self.columns) = (first, rowCount, columns)
      (last, rowCountOfIndex) = (first + rowCount - 1, UInt32(rowCount))
      columnCount = UInt64(columns.count)
    }

    var directory: [UInt8] {
      var writer = ByteWriter()
      writer.write(format)
      writer.write(flags)
      writer.write(first)
      writer.writeVarint(rowCount)
      writer.write(middle)
      write(commits, to: &writer)
      writer.writeVarint(columnCount)
      var next: UInt64 = 0
      for column in columns {
        let key = UInt64(column.key ?? 0)
        writer.writeVarint(key &- next)
        next = key + 1
        write(column, to: &writer)
      }
      writer.write(rest)
      return writer.array
    }

    private func write(_ column: Column, to writer: inout ByteWriter) {
      writer.writeVarint(column.storedByteCount)
      writer.writeVarint(column.byteCount)
      writer.write(check(column.stored))
    }

    var allColumns: [Column] { [commits] + columns }
  }

  var blocks: [Block]
  var format: UInt16 = 1
  var requiredFeatures: UInt32 = 0
  var store = runStore
  /// What the index has, where it is not what the blocks are.
  var indexPayload: [UInt8]?
  var indexKind: UInt8 = 33
  var changeIndex: (inout FrameBytes) -> Void = { _ in }
  /// Row count, deleted count, block count, offset and length of the index, its body check.
  var changeFooter: (inout [UInt64]) -> Void = { _ in }

  init(_ blocks: Block...) { self.blocks = blocks }

  static func blocks(_ part: [UInt8]) -> [UInt8] {
    var writer = ByteWriter()
    part.withUnsafeBytes { LZ4FrameWriter().writeBlocks(of: $0, .mebibytes4, to: &writer) }
    return writer.array
  }

  static func check(_ bytes: [UInt8]) -> UInt64 {
    bytes.withUnsafeBytes { Checksum.of($0, salt: runSalt) }
  }

  var bytes: [UInt8] {
    var header = RunHeader(store: store, salt: runSalt)
    header.format = format
    header.requiredFeatures = requiredFeatures
    var bytes = header.encoded().array
    var index = ByteWriter()
    var previous: UInt64 = 0
    for (place, block) in blocks.enumerated() {
      let frame = frame(block, UInt64(place) + 1, after: previous)
      previous = frame.bodyCheck(salt: runSalt)
      let sealed = frame.encoded(salt: runSalt)
      let stored = block.storedDirectory ?? Self.blocks(block.directory)
      index.write(block.first)
      index.write(block.last)
      index.write(block.sealedByteCount ?? UInt32(sealed.count))
      index.write(block.rowCountOfIndex)
      index.write(block.storedDirectoryByteCount ?? UInt32(stored.count))
      index.write(block.directoryByteCount ?? UInt32(block.directory.count))
      index.write(Self.check(stored))
      bytes += sealed
    }
    var frame = FrameBytes(UInt64(blocks.count) + 1, indexPayload ?? index.array, after: previous)
    frame.kind = indexKind
    changeIndex(&frame)
    let rowCount = blocks.reduce(0) { $0 + Int($1.rowCountOfIndex) }
    return bytes + forgedEnding(frame, [rowCount, 0, blocks.count], at: bytes.count, changeFooter)
  }

  private func frame(_ block: Block, _ number: UInt64, after previous: UInt64) -> FrameBytes {
    let parts =
      (block.storedDirectory ?? Self.blocks(block.directory)) + block.allColumns.flatMap(\.stored)
    var frame = FrameBytes(block.number ?? number, [], after: block.previousBodyCheck ?? previous)
    frame.kind = block.kind
    frame.flags = block.flagsOfSeal
    frame.unsyncedFrameCount = block.unsyncedFrameCount
    frame.lz4Frame = [0x04, 0x22, 0x4D, 0x18, 0x60, 0x70, 0x73] + parts + [0, 0, 0, 0]
    frame.lz4FrameByteCount = UInt32(frame.lz4Frame.count)
    let sum = block.directory.count + block.allColumns.reduce(0) { $0 + $1.listByteCount }
    frame.payloadByteCount = block.payloadByteCount ?? UInt32(sum)
    return frame
  }
}

extension RunForgery.Block {
  fileprivate func check(_ bytes: [UInt8]) -> UInt64 { RunForgery.check(bytes) }
}

/// The index of a forged run of either kind, and the footer behind it.
///
/// - Parameters:
///   - counts: of rows, of those that are deleted, and of blocks.
///   - offset: where the index begins.
///   - change: changes what the footer says: the counts, offset and length of the index, its body check.
func forgedEnding(
  _ index: FrameBytes, _ counts: [Int], at offset: Int, _ change: (inout [UInt64]) -> Void
) -> [UInt8] {
  let sealed = index.encoded(salt: runSalt)
  var fields = (counts + [offset, sealed.count]).map(UInt64.init)
  fields.append(index.bodyCheck(salt: runSalt))
  change(&fields)
  var footer = ByteWriter()
  footer.write(UInt32(0x184D_2A5F))
  footer.write(UInt32(56))
  for field in fields { footer.write(field) }
  footer.writeCheck(salt: runSalt)
  return sealed + footer.array
}
