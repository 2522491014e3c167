package import Journaling

/// What a reader of runs accepts and a writer never exceeds, besides the limits of frames. Part of the
/// format.
package enum RunLimits {
  /// The most rows of a block.
  package static let rowCount = 4096
  /// The largest distance between the numbers of a block's first and last row.
  package static let span: UInt64 = 0xFFFF_FFFF
}

extension FrameKind {
  /// A block of rows.
  package static let rows = FrameKind(rawValue: 32)
  /// The index of a run.
  package static let runIndex = FrameKind(rawValue: 33)
}
