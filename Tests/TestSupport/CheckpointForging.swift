// Checkpoints that say what none was written to say, under a check that is right.

package import DiskSimulation
package import ObjectModel

import ByteCoding
import Journaling
import PropertyListCoding

extension SimulatedDisk {
  /// Has the last checkpoint of the only store say something else.
  package func forgeCheckpoint(_ change: (inout [String: Value]) throws -> Void) throws {
    guard let file = paths.last(where: { $0.hasSuffix(".xc") }), let bytes = contents(of: file)
    else { throw NoCheckpoint() }
    let list = try Array(bytes[36..<(bytes.count - 8)]).withUnsafeBytes {
      try PropertyListReader($0).root().value()
    }
    guard case .dictionary(var fields) = list else { throw NoCheckpoint() }
    try change(&fields)
    try setContents(file, checkpointBytes(fields, head: Array(bytes[..<36])))
  }

  private struct NoCheckpoint: Error {}
}

/// The bytes of a checkpoint's file.
///
/// - Parameter head: what stands before the property list.
package func checkpointBytes(_ fields: [String: Value], head: [UInt8]) throws -> [UInt8] {
  var writer = ByteWriter()
  writer.write(head)
  try PropertyListWriter.write(.dictionary(fields), to: &writer)
  writer.writeCheck(salt: 0)
  return writer.array
}
