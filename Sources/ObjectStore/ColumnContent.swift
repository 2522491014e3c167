internal import ObjectModel
internal import PropertyListCoding

/// The decompressed values of a block's column.
final class ColumnContent: @unchecked Sendable {
  // Nothing is written once it is made, so that any thread may read it.
  private let memory: UnsafeMutableRawBufferPointer
  let values: PropertyListArray

  /// Takes over memory that has been allocated, and holds a list; nil where it is none with so many values.
  /// The memory is freed in any case.
  init?(taking memory: UnsafeMutableRawBufferPointer, valueCount: Int) {
    self.memory = memory
    do throws(PropertyListError) {
      guard let values = try PropertyListArray(UnsafeRawBufferPointer(memory)),
        values.count == valueCount
      else {
        memory.deallocate()
        return nil
      }
      self.values = values
    } catch {
      memory.deallocate()
      return nil
    }
  }

  deinit { memory.deallocate() }

  var memoryByteCount: Int { 160 + memory.count }
}

extension Value {
  /// What stands in a column as null is none. (A literal nil would be null.)
  @inline(__always)
  var unlessNull: Value? { isNull ? .none : .some(self) }
}
