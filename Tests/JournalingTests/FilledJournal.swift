// A journal of four segments, and what is in it.

import DiskSimulation
import Journaling
import TestSupport
import Testing

extension Journal {
  /// Four segments of three frames each, of which the last is active.
  func fill() throws {
    for number in 1...12 {
      try appendEdit(Content.edit(number))
      try commit(Content.commit(number))
      if number % 3 == 0, number < 12 { try beginSegment() }
    }
  }
}

extension SimulatedDisk {
  /// The numbers of a journal's frames, all of which are whole.
  func frames(_ path: String = "store") throws -> [UInt64] {
    var frames: [UInt64] = []
    let ending = try JournalReader(at: path, on: self).forEachFrame {
      frames.append($0.number.rawValue)
      return true
    }
    #expect(ending.finding == nil)
    return frames
  }
}
