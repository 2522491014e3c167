/// Bytes of a file mapped into memory: what is stored there is in the file, without a call.
public final class MappedMemory: @unchecked Sendable {
  /// The first byte.
  public let base: UnsafeMutableRawPointer
  /// How many bytes are mapped.
  public let byteCount: Int
  private let release: @Sendable (UnsafeMutableRawPointer, Int) -> Void

  /// Wraps a mapping; for implementations of a disk. `release` is called once, at the end.
  public init(
    base: UnsafeMutableRawPointer, byteCount: Int,
    release: @escaping @Sendable (UnsafeMutableRawPointer, Int) -> Void
  ) {
    self.base = base
    self.byteCount = byteCount
    self.release = release
  }

  deinit { release(base, byteCount) }
}
