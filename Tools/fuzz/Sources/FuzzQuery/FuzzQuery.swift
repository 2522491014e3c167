// Feeds texts to the reader of queries; what it takes must read back from its own printed form as the same.

internal import FuzzSupport
internal import ObjectQuery

/// The first byte: bit 0, whether the text is a whole query; otherwise it is a filter.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzQuery(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let input = FuzzInput(bytes, count) else { return -1 }
  let text = String(decoding: input.bytes, as: UTF8.self)
  do throws(QueryError) {
    if input.has(0) {
      check(try Query(text))
    } else {
      check(Query(entity: "Post", where: try Filter(text)))
    }
  } catch {
    expect(!error.description.isEmpty, "an error has words")
    expect(error.place != nil || error.code == .tooLarge, "an error has a place")
  }
  return 0
}

private func check(_ query: Query) {
  let text = query.description
  // Printing escapes, and may make a text too long that was not.
  if text.utf8.count > 65_536 { return }
  do throws(QueryError) {
    expect(try Query(text) == query, "a query reads back as it was")
  } catch {
    expect(false, "a query that was read is read again: \(error)")
  }
}
