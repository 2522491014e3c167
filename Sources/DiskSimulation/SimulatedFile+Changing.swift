internal import DiskAccess

extension SimulatedFile {
  func write(_ bytes: UnsafeRawBufferPointer, at offset: UInt64) throws(DiskError) {
    try write(bytes, at: offset, .write)
  }

  func append(_ bytes: UnsafeRawBufferPointer) throws(DiskError) -> UInt64 {
    let offset = try with(describe(.append)) { simulation in
      UInt64(simulation.content[file: node].live.count)
    }
    try write(bytes, at: offset, .append)
    return offset
  }

  private func write(
    _ bytes: UnsafeRawBufferPointer, at offset: UInt64, _ kind: DiskError.Call
  ) throws(DiskError) {
    guard Int(exactly: offset) != nil else { throw describe(kind).error(.invalid) }
    let done = transfer(bytes.count) { moved in
      Result { () throws(DiskError) in
        try writeSome(
          UnsafeRawBufferPointer(rebasing: bytes[moved...]), at: offset + UInt64(moved), kind,
          isFirst: moved == 0)
      }.mapError(SystemErrorCodeFailure.init)
    }
    if let code = done.failure { throw describe(kind).error(code) }
  }

  /// Writes as much as one call does.
  private func writeSome(
    _ bytes: UnsafeRawBufferPointer, at offset: UInt64, _ kind: DiskError.Call, isFirst: Bool
  ) throws(DiskError) -> Int {
    let call = describe(kind, at: offset, bytes.count)
    let position = Int(offset)
    let course = try disk.attempt(call, changes: true) { isOpen }
    try refuseUnlessWritable(call, .badDescriptor)
    if case .failing(let code, let remainder) = course {
      let ranges = try with(call) { simulation in
        simulation.parts(remainder, ofWriteAt: position, bytes.count)
      }
      for range in ranges { try put(bytes, range, at: position, call) }
      throw call.error(code)
    }
    let moved = try with(call) { simulation in
      simulation.share(of: bytes.count, course, isFirst: isFirst)
    }
    try put(bytes, 0..<moved, at: position, call)
    return moved
  }

  /// Writes a part of the bytes, as much of it as there is room for.
  private func put(
    _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>, at offset: Int, _ call: CallDescription
  ) throws(DiskError) {
    let part = UnsafeRawBufferPointer(rebasing: bytes[range])
    try with(call) { simulation throws(DiskError) in
      let (position, overflow) = offset.addingReportingOverflow(range.lowerBound)
      guard !overflow, position <= FileContent.largestByteCount - part.count else {
        throw call.error(.fileTooLarge)
      }
      let length = simulation.content[file: node].live.count
      let growth = UInt64(max(0, position + part.count - length))
      let missing = Int(growth - min(growth, simulation.room))
      let fitting = UnsafeRawBufferPointer(rebasing: part.dropLast(missing))
      simulation.content[file: node].write(fitting, at: position)
      guard missing == 0 else { throw call.error(.noSpace) }
    }
  }

  func resize(to byteCount: UInt64) throws(DiskError) {
    let call = describe(.resize, at: byteCount)
    try disk.begin(call, changes: true) { isOpen }
    try refuseUnlessWritable(call, .invalid)
    try changeLength(call) { _ in byteCount }
  }

  func allocate(_ byteCount: UInt64, at offset: UInt64) throws(DiskError) {
    let call = describe(.allocate, at: offset, Int(clamping: byteCount))
    try disk.begin(call, changes: true) { isOpen }
    try refuseUnlessWritable(call, .badDescriptor)
    guard byteCount > 0 else { throw call.error(.invalid) }
    let (end, overflow) = offset.addingReportingOverflow(byteCount)
    try changeLength(call) { length in overflow ? .max : max(length, end) }
  }

  private func changeLength(
    _ call: CallDescription, _ newLength: (_ length: UInt64) -> UInt64
  ) throws(DiskError) {
    try with(call) { simulation throws(DiskError) in
      let length = UInt64(simulation.content[file: node].live.count)
      let byteCount = newLength(length)
      guard byteCount <= UInt64(FileContent.largestByteCount) else {
        throw call.error(.fileTooLarge)
      }
      guard byteCount <= length || byteCount - length <= simulation.room else {
        throw call.error(.noSpace)
      }
      simulation.content[file: node].resize(to: Int(byteCount))
    }
  }

  func sync() throws(DiskError) { try sync(.sync) }

  func syncData() throws(DiskError) { try sync(.syncData) }

  private func sync(_ kind: DiskError.Call) throws(DiskError) {
    let call = describe(kind)
    let course = try disk.course(of: call, changes: true) { isOpen }
    try with(call) { simulation throws(DiskError) in
      guard case .failing(let code, let remainder) = course else {
        guard !simulation.syncsLie else { return }
        simulation.content[file: node].sync()
        return
      }
      simulation.content[file: node].takeInMapping()
      let unsynced = simulation.content[file: node].unsynced.sectors
      let done = Set(simulation.part(remainder, of: unsynced))
      simulation.content[file: node].failSync { done.contains($0) }
      throw call.error(code)
    }
  }
}
