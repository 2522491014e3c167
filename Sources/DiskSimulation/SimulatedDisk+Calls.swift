internal import DiskAccess

/// A call that is about to be made.
struct CallDescription {
  let kind: DiskError.Call
  let path: String
  /// The name that errors show.
  let name: String
  let newName: String?
  let offset: UInt64
  let byteCount: Int

  init(
    _ kind: DiskError.Call, path: String, name: String = "", newName: String? = nil,
    offset: UInt64 = 0, byteCount: Int = 0
  ) {
    self.kind = kind
    self.path = path
    self.name = name
    self.newName = newName
    self.offset = offset
    self.byteCount = byteCount
  }

  func error(_ code: SystemErrorCode) -> DiskError { DiskError(kind, name, code) }
}

/// How a call goes on that was not stopped by a fault.
enum CallCourse {
  /// As it should.
  case whole
  /// The first bytes only, so that a second call is made for the rest.
  case short
  /// Something is done first, then the call fails.
  case failing(SystemErrorCode, leaving: SimulatedFault.Remainder)
}

extension SimulatedDisk {
  /// Counts a call, tells the hook, and lets the faults have their say.
  ///
  /// - Parameter isOpen: whether what the call is made on works; asked under the lock.
  /// - Throws: what a fault makes of the call, or that it was made on something closed.
  func begin(
    _ description: CallDescription, changes: Bool = false, isOpen: () -> Bool = { true }
  ) throws(DiskError) {
    if case .failing(let code, _) = try course(of: description, changes: changes, isOpen: isOpen) {
      throw description.error(code)
    }
  }

  /// As `begin`, for calls that may fail half done. An interrupted call is made again, by the means of the real
  /// disk.
  func course(
    of description: CallDescription, changes: Bool, isOpen: () -> Bool
  ) throws(DiskError) -> CallCourse {
    let answer = uninterrupted {
      Result { () throws(DiskError) in
        try attempt(description, changes: changes, isOpen: isOpen)
      }.mapError(SystemErrorCodeFailure.init)
    }
    switch answer {
    case .success(let course): return course
    case .failure(let failure): throw description.error(failure.code)
    }
  }

  /// Makes a call that may be interrupted.
  func attempt(
    _ description: CallDescription, changes: Bool, isOpen: () -> Bool
  ) throws(DiskError) -> CallCourse {
    let call = try lock.withLock { () throws(DiskError) -> SimulatedCall in
      guard isOpen() else { throw description.error(.badDescriptor) }
      return count(description)
    }
    step()
    if changes, let onCall { onCall(call) }
    return try lock.withLock { () throws(DiskError) -> CallCourse in
      // The hook may have ended the process.
      guard isOpen() else { throw description.error(.badDescriptor) }
      return try strike(call, description)
    }
  }

  private func count(_ description: CallDescription) -> SimulatedCall {
    let call = SimulatedCall(
      index: simulation.callCount, kind: description.kind, path: description.path,
      newName: description.newName, offset: description.offset, byteCount: description.byteCount)
    simulation.callCount += 1
    return call
  }

  private func strike(
    _ call: SimulatedCall, _ description: CallDescription
  ) throws(DiskError) -> CallCourse {
    switch simulation.faults.strike(call) {
    case nil:
      simulation.note(call.description)
      return .whole
    case .short:
      simulation.note("\(call): short")
      return .short
    case .failure(.interrupted, _):
      simulation.note("\(call): interrupted")
      // A file that is being closed is closed all the same.
      if call.kind == .close { return .whole }
      throw description.error(.interrupted)
    case .failure(let code, let remainder):
      simulation.note("\(call): \(code.message), \(remainder) done")
      return .failing(code, leaving: remainder)
    }
  }
}

extension SystemErrorCodeFailure {
  /// The code alone of what a simulated call has thrown, as the system gives it.
  init(_ error: DiskError) { self.init(code: error.code) }
}
