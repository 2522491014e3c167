public import DiskAccess

/// A call to a simulated disk, as the hook `SimulatedDisk.onCall` and the trace show it.
public struct SimulatedCall: Hashable, Sendable {
  /// How many calls were made before it, of every kind and on everything the disk has opened.
  public let index: Int
  /// What was asked.
  public let kind: DiskError.Call
  /// The path of the file or folder, as it was when it was opened.
  public let path: String
  /// The name that goes with the path where the call is about two: the new name of a renamed file.
  public let newName: String?
  /// Where in the file, for a call that is about a place or a length.
  public let offset: UInt64
  /// How many bytes, for a call that is about bytes.
  public let byteCount: Int
}

extension SimulatedCall: CustomStringConvertible {
  /// One line, as in the trace.
  public var description: String {
    var line = "\(index) \(kind.rawValue) \(path.isEmpty ? "/" : path)"
    if let newName { line += " to \(newName)" }
    switch kind {
    case .read, .write, .append, .allocate: line += " at \(offset), \(byteCount) bytes"
    case .resize: line += " to \(offset) bytes"
    case .map, .random: line += " \(byteCount) bytes"
    default: break
    }
    return line
  }
}
