internal import Glibc

/// A file of this machine.
final class PosixFile: DiskFile {
  let name: String
  private let descriptor: Descriptor
  private let isOpen = Gate()

  /// Takes a descriptor over; anything but a regular file is refused, so that neither a pipe nor a
  /// device can stand in for a file of the store. What is to be written to has one name alone: with another, it
  /// could be a file elsewhere.
  init(
    _ name: String, _ descriptor: Descriptor, isWritable: Bool
  ) throws(DiskError) {
    self.name = name
    self.descriptor = descriptor
    let information = try self.information()
    guard information.kind == .file else {
      throw DiskError(.openFile, name, information.kind == .folder ? .isFolder : .invalid)
    }
    guard !isWritable || information.linkCount <= 1 else {
      throw DiskError(.openFile, name, .tooManyLinks)
    }
  }

  deinit { try? close() }

  /// The descriptor's number, or after closing one that no file has, so that the system refuses: the
  /// number may be somebody else's by then.
  private var number: Int32 { isOpen.isOpen ? descriptor.number : -1 }

  func close() throws(DiskError) {
    guard isOpen.shut() else { return }
    // A child that is being started shares the lock until it runs its program; take it from there as well.
    flock(descriptor.number, LOCK_UN)
    if let code = descriptor.close() { throw DiskError(.close, name, code) }
  }

  func information() throws(DiskError) -> FileInformation {
    try information(.inspect)
  }

  func read(
    into buffer: UnsafeMutableRawBufferPointer, at offset: UInt64
  ) throws(DiskError) -> Int {
    let position = try position(offset, .read)
    let done = transfer(buffer.count) { moved in
      pread(
        number, buffer.baseAddress?.advanced(by: moved), buffer.count - moved,
        position + moved)
    }
    if let code = done.failure { throw DiskError(.read, name, code) }
    return done.byteCount
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(DiskError) {
    try write(bytes, at: offset, .write)
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(DiskError) -> UInt64 {
    let offset = try information(.append).byteCount
    try write(bytes, at: offset, .append)
    return offset
  }

  func sync() throws(DiskError) {
    try check(.sync) { fsync(number) }
  }

  func syncData() throws(DiskError) {
    try check(.syncData) { fdatasync(number) }
  }

  func resize(to byteCount: UInt64) throws(DiskError) {
    let length = try position(byteCount, .resize)
    try check(.resize) { ftruncate(number, length) }
  }

  func allocate(_ byteCount: UInt64, at offset: UInt64) throws(DiskError) {
    let start = try position(offset, .allocate)
    let length = try position(byteCount, .allocate)
    var code = EINTR
    while code == EINTR { code = posix_fallocate(number, start, length) }
    guard code == 0 else { throw DiskError(.allocate, name, SystemErrorCode(rawValue: code)) }
  }

  func map(_ byteCount: Int) throws(DiskError) -> MappedMemory {
    let information = try information(.map)
    guard byteCount > 0, UInt64(byteCount) <= information.byteCount else {
      throw DiskError(.map, name, .invalid)
    }
    let address = mmap(
      nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, number, 0)
    guard let address, address != MAP_FAILED else {
      throw DiskError(.map, name, SystemErrorCode(rawValue: errno))
    }
    return MappedMemory(base: address, byteCount: byteCount) { munmap($0, $1) }
  }

  func lock() throws(DiskError) -> Bool {
    try takeLock(number, name)
  }

  func advise(_ advice: FileAdvice) throws(DiskError) {
    let kind = advice == .forget ? POSIX_FADV_DONTNEED : POSIX_FADV_SEQUENTIAL
    let code = posix_fadvise(number, 0, 0, kind)
    guard code == 0 else { throw DiskError(.advise, name, SystemErrorCode(rawValue: code)) }
  }

  private func write(
    _ bytes: UnsafeRawBufferPointer, at offset: UInt64, _ call: DiskError.Call
  ) throws(DiskError) {
    let position = try position(offset, call)
    let done = transfer(bytes.count) { moved in
      pwrite(
        number, bytes.baseAddress?.advanced(by: moved), bytes.count - moved,
        position + moved)
    }
    if let code = done.failure { throw DiskError(call, name, code) }
    guard done.byteCount == bytes.count else { throw DiskError(call, name, .noSpace) }
  }

  private func information(_ call: DiskError.Call) throws(DiskError) -> FileInformation {
    switch Descriptor(number: number).information() {
    case .success(let information): return information
    case .failure(let failure): throw DiskError(call, name, failure.code)
    }
  }

  private func check(_ call: DiskError.Call, _ body: () -> Int32) throws(DiskError) {
    if case .failure(let failure) = uninterrupted(body) {
      throw DiskError(call, name, failure.code)
    }
  }

  private func position(_ offset: UInt64, _ call: DiskError.Call) throws(DiskError) -> Int {
    guard let position = Int(exactly: offset) else { throw DiskError(call, name, .invalid) }
    return position
  }
}

/// Takes the lock of a file or folder that is open; false where somebody else holds it.
func takeLock(_ number: Int32, _ name: String) throws(DiskError) -> Bool {
  switch uninterrupted({ flock(number, LOCK_EX | LOCK_NB) }) {
  case .success: return true
  case .failure(let failure) where failure.code == .wouldBlock: return false
  case .failure(let failure): throw DiskError(.lock, name, failure.code)
  }
}
