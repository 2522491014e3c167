// EventCoding: events and commits to bytes and back, within limits. Knows no frames.

package import ByteCoding
package import ObjectModel

/// Makes the bytes of events.
///
/// Where memory is handed out in the right size, ask for the size and fill it. Nothing is allocated on the
/// way but for sets, dictionaries, decimals and URLs.
package struct EventEncoder: Sendable {
  private let store: StoreTag

  /// - Parameter store: the store whose objects are written without its tag.
  package init(store: StoreTag) { self.store = store }

  /// How many bytes an event takes; at least one.
  ///
  /// - Throws: where the event cannot be written: an object of another store, values too deep, a decimal or
  ///   a URL that could not be read again, a number beyond its limit, or an unknown event of a known kind.
  package func byteCount(of event: Event) throws(EventCodingError) -> Int {
    var counter = ByteCounter(store: store)
    try counter.put(event)
    return counter.byteCount
  }

  /// Writes an event into memory of just the size that `byteCount(of:)` gave.
  package func write(_ event: Event, into memory: UnsafeMutableRawBufferPointer) {
    var filler = MemoryFiller(store: store, memory)
    filler.put(event)
    filler.finish()
  }

  /// Writes an event behind what a writer has.
  ///
  /// - Throws: as `byteCount(of:)` does; the writer then is as it was.
  package func append(_ event: Event, to writer: inout ByteWriter) throws(EventCodingError) {
    try Appender.append(to: &writer, of: store) { sink throws(EventCodingError) in
      try sink.put(event)
    }
  }

  /// How many bytes `edited(context, .set(object, key, value))` takes, without making the event.
  package func byteCount(
    ofSetting key: KeyNumber, of object: ObjectID, to value: Value?, in context: ContextNumber
  ) throws(EventCodingError) -> Int {
    var counter = ByteCounter(store: store)
    try counter.begin(.set, context, object, key, value)
    return counter.byteCount
  }

  /// Writes `edited(context, .set(object, key, value))` into memory of just its size.
  package func writeSetting(
    of key: KeyNumber, of object: ObjectID, to value: Value?, in context: ContextNumber,
    into memory: UnsafeMutableRawBufferPointer
  ) {
    var filler = MemoryFiller(store: store, memory)
    filler.begin(.set, context, object, key, value)
    filler.finish()
  }
}
