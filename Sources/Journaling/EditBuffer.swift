internal import ByteCoding
internal import DiskAccess

/// The layout of the file that edits are written to without a system call: a page that says what it is,
/// two slots for the count of durable frames, and two halves of entries.
package enum EditBufferLayout {
  package static let name: UInt64 = 0x5354_4944_452D_4A58  // "XJ-EDITS"
  package static let currentFormat: UInt16 = 1
  static let knownRequiredFeatures: UInt32 = 0
  package static let headerByteCount = 64
  package static let slotOffsets = [1024, 2048]
  package static let slotByteCount = 16
  package static let firstHalfOffset = 4096
  package static let halfHeaderByteCount = 32
  package static let entryHeaderByteCount = 8
  package static let spanFlag: UInt32 = 0x8000_0000

  package static func byteCount(halfByteCount: Int) -> Int { firstHalfOffset + 2 * halfByteCount }

  package static func offset(ofHalf index: Int, halfByteCount: Int) -> Int {
    firstHalfOffset + index * halfByteCount
  }

  /// The room an entry takes: its header, its bytes, and what makes the next one begin at an eighth byte.
  @inline(__always)
  package static func roomForEntry(of byteCount: Int) -> Int {
    entryHeaderByteCount + (byteCount + 7) & ~7
  }

  /// The largest entry that fits an empty half, with the zeros that end it.
  package static func largestEntryByteCount(halfByteCount: Int) -> Int {
    halfByteCount - halfHeaderByteCount - 2 * entryHeaderByteCount - 8
  }

  /// The check of an entry: of its bytes, its place in the row of edits, its length and its flag.
  @inline(__always)
  package static func check(
    _ bytes: UnsafeRawBufferPointer, _ number: EditNumber, lengthField: UInt32, salt: UInt64
  ) -> UInt32 {
    let entrySalt = salt &+ number.rawValue &* 0x9E37_79B9_7F4A_7C15
    return UInt32(truncatingIfNeeded: Checksum.of(bytes, salt: entrySalt)) ^ lengthField
  }

  /// The check of a slot's count.
  package static func slotCheck(_ count: UInt64, salt: UInt64) -> UInt64 {
    withUnsafeBytes(of: count.littleEndian) { Checksum.of($0, salt: salt) }
  }
}

/// The edit buffer as its writer has it: mapped, and made by this process full of zeros.
///
/// Not safe between threads; the journal's lock guards it.
struct EditBuffer {
  let salt: UInt64
  let halfByteCount: Int
  private let file: any DiskFile
  private let memory: MappedMemory
  private var nextSlot: Int

  /// Makes the file aside, full of zeros and synced; it takes the old one's place when it is renamed. So it must
  /// say what that one said: which frames are durable.
  static func make(
    in folder: any DiskFolder, store: StoreIdentity, salt: UInt64, halfByteCount: Int,
    durableThrough: FrameNumber
  ) throws(DiskError) -> EditBuffer {
    let file = try folder.file(JournalFiles.newEdits, .emptied)
    var content = ByteWriter(capacity: EditBufferLayout.byteCount(halfByteCount: halfByteCount))
    content.write(EditBufferLayout.name)
    content.write(EditBufferLayout.currentFormat)
    content.write(UInt16(0))
    content.write(UInt32(0))
    content.write(store.high)
    content.write(store.low)
    content.write(salt)
    content.write(UInt32(halfByteCount))
    content.writeZeros(EditBufferLayout.headerByteCount - 8 - content.byteCount)
    content.writeCheck(salt: 0)
    // A buffer of which nothing was used yet tells a new store from one that has lost its manifest.
    if durableThrough > .none {
      content.writeZeros(EditBufferLayout.slotOffsets[0] - content.byteCount)
      content.write(durableThrough.rawValue)
      content.write(EditBufferLayout.slotCheck(durableThrough.rawValue, salt: salt))
    }
    content.writeZeros(
      EditBufferLayout.byteCount(halfByteCount: halfByteCount) - content.byteCount)
    try content.withBytes { (bytes) throws(DiskError) in try file.write(bytes, at: 0) }
    try file.sync()
    return EditBuffer(
      salt: salt, halfByteCount: halfByteCount, file: file,
      memory: try file.map(content.byteCount), nextSlot: durableThrough > .none ? 1 : 0)
  }

  private init(
    salt: UInt64, halfByteCount: Int, file: any DiskFile, memory: MappedMemory, nextSlot: Int
  ) {
    self.salt = salt
    self.halfByteCount = halfByteCount
    self.file = file
    self.memory = memory
    self.nextSlot = nextSlot
  }

  /// Notes how many frames are durable, in the slot that is not the newest, so that one always holds.
  mutating func note(durableThrough: FrameNumber) {
    let slot = memory.base + EditBufferLayout.slotOffsets[nextSlot]
    let check = EditBufferLayout.slotCheck(durableThrough.rawValue, salt: salt)
    slot.storeBytes(of: durableThrough.rawValue.littleEndian, as: UInt64.self)
    slot.storeBytes(of: check.littleEndian, toByteOffset: 8, as: UInt64.self)
    nextSlot = 1 - nextSlot
  }

  /// Makes durable what was noted.
  func sync() throws(DiskError) { try file.syncData() }

  /// Empties a half for the edits from a number on.
  func beginHalf(_ index: Int, generation: UInt64, firstEdit: EditNumber) -> EditHalf {
    let offset = EditBufferLayout.offset(ofHalf: index, halfByteCount: halfByteCount)
    let base = memory.base + offset
    // First no entries, so that old ones never follow a new header. Then the header, its generation last:
    // without one, the half is about to be begun.
    let entries = base + EditBufferLayout.halfHeaderByteCount
    entries.storeBytes(of: 0, as: UInt64.self)
    base.storeBytes(of: 0, as: UInt64.self)
    base.storeBytes(of: firstEdit.rawValue.littleEndian, toByteOffset: 8, as: UInt64.self)
    base.storeBytes(of: 0, toByteOffset: 16, as: UInt64.self)
    let head = (generation.littleEndian, firstEdit.rawValue.littleEndian, UInt64(0))
    let check = withUnsafeBytes(of: head) { Checksum.of($0, salt: salt) }
    base.storeBytes(of: check.littleEndian, toByteOffset: 24, as: UInt64.self)
    base.storeBytes(of: generation.littleEndian, as: UInt64.self)
    return EditHalf(
      index: index, generation: generation, firstEdit: firstEdit, entries: entries,
      capacity: halfByteCount - EditBufferLayout.halfHeaderByteCount)
  }
}

/// One half of the edit buffer: where its entries are, and once it is full, how many.
struct EditHalf {
  let index: Int
  let generation: UInt64
  let firstEdit: EditNumber
  fileprivate let entries: UnsafeMutableRawPointer
  fileprivate let capacity: Int
  fileprivate(set) var usedByteCount = 0
  fileprivate(set) var editCount = 0

  fileprivate init(
    index: Int, generation: UInt64, firstEdit: EditNumber, entries: UnsafeMutableRawPointer,
    capacity: Int
  ) {
    self.index = index
    self.generation = generation
    self.firstEdit = firstEdit
    self.entries = entries
    self.capacity = capacity
  }

  var nextEdit: EditNumber { firstEdit + UInt64(editCount) }

  /// Writes the entries as a batch has them.
  func write(to writer: inout ByteWriter) {
    writer.writeVarint(firstEdit.rawValue)
    writer.writeVarint(UInt64(editCount))
    var offset = 0
    while offset < usedByteCount {
      let header = UInt64(littleEndian: entries.load(fromByteOffset: offset, as: UInt64.self))
      let lengthField = UInt32(truncatingIfNeeded: header >> 32)
      let byteCount = Int(lengthField & ~EditBufferLayout.spanFlag)
      let bytes = UnsafeRawBufferPointer(
        start: entries + offset + EditBufferLayout.entryHeaderByteCount, count: byteCount)
      writer.writeEntry(bytes, isSpan: lengthField & EditBufferLayout.spanFlag != 0)
      offset += EditBufferLayout.roomForEntry(of: byteCount)
    }
  }
}

/// The place in the gathering half where the next edit goes.
///
/// It is apart from everything else and reached through a pointer, because each edit passes here: with
/// the checks and counts of a class's properties an edit costs twice as much (measured).
struct EditCursor {
  private var next: UnsafeMutableRawPointer
  /// Entries, with the zeros that end them, must not reach past here. It equals `next` while the cursor
  /// is closed, so that one comparison finds both a full half and a closed cursor.
  private var limit: UnsafeMutableRawPointer
  private var number: EditNumber
  private let salt: UInt64

  init(_ half: EditHalf, salt: UInt64) {
    next = half.entries
    limit = half.entries
    number = half.firstEdit
    self.salt = salt
  }

  var nextEdit: EditNumber { number }

  /// Whether the cursor is open and an entry fits, with the zeros that end it.
  @inline(__always)
  func hasRoom(for byteCount: Int) -> Bool {
    EditBufferLayout.roomForEntry(of: byteCount) + EditBufferLayout.entryHeaderByteCount
      <= limit - next
  }

  /// Lets edits in.
  mutating func open(_ half: EditHalf) { limit = half.entries + half.capacity }

  /// Lets no edit in, until it is opened.
  mutating func close() { limit = next }

  /// Notes in a half what was written to it.
  func settle(_ half: inout EditHalf) {
    half.usedByteCount = next - half.entries
    half.editCount = Int(number.rawValue - half.firstEdit.rawValue)
  }

  /// Writes an entry that fits: first the zeros that end it, then its bytes, and its header last, by one
  /// store. So a process that dies in between leaves the entries before it, whole, and none after.
  @inline(__always)
  mutating func append(
    _ byteCount: Int, isSpan: Bool, _ fill: (UnsafeMutableRawBufferPointer) -> Void
  ) -> EditNumber {
    let entry = next
    let bytes = UnsafeMutableRawBufferPointer(
      start: entry + EditBufferLayout.entryHeaderByteCount, count: byteCount)
    let room = EditBufferLayout.roomForEntry(of: byteCount)
    entry.storeBytes(of: 0, toByteOffset: room, as: UInt64.self)
    fill(bytes)
    let lengthField =
      UInt32(truncatingIfNeeded: byteCount) | (isSpan ? EditBufferLayout.spanFlag : 0)
    let check = EditBufferLayout.check(
      UnsafeRawBufferPointer(bytes), number, lengthField: lengthField, salt: salt)
    let header = UInt64(check) | UInt64(lengthField) << 32
    entry.storeBytes(of: header.littleEndian, as: UInt64.self)
    next = entry + room
    defer { number = number + 1 }
    return number
  }
}
