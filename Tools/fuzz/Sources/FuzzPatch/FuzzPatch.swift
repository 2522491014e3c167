// Feeds texts to the reader of JSON, to that of patches, and to the engines of JSON Patch and JSON Merge Patch; what
// they take must be written and read again as the same. Applies patches, which must do all they say or nothing.

internal import FoundationEssentials
internal import FuzzSupport
internal import ObjectModel
internal import ObjectPatching

/// The first byte's lower three bits say what the text is: a document; a patch; an array of a document and a JSON Patch;
/// an array of a document and a JSON Merge Patch; a patch that is applied; and behind one that is as the second a JSON
/// Patch and a JSON Merge Patch of what a store has.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPatch(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
  guard let input = FuzzInput(bytes, count) else { return -1 }
  switch input.control & 7 {
  case 4:
    checkApplying(input.bytes)
    return 0
  case 6:
    checkOperationsOfGraph(Data(input.bytes))
    return 0
  case 7:
    checkMergeOfGraph(Data(input.bytes))
    return 0
  default: break
  }
  if input.control & 3 == 1 {
    checkPatch(input.bytes)
    return 0
  }
  guard let document = read(input.bytes) else { return 0 }
  switch input.control & 3 {
  case 0: checkReadsBack(document)
  case 2: checkOperations(document.array ?? [])
  default: checkMerge(document.array ?? [])
  }
  return 0
}

private func read(_ bytes: [UInt8]) -> JSONValue? {
  do throws(JSONError) {
    return try JSONValue(parsing: bytes)
  } catch {
    expect(!error.description.isEmpty, "an error has words")
    expect((0...bytes.count).contains(error.byteOffset ?? -1), "an error has a place in the bytes")
    return nil
  }
}

private func checkReadsBack(_ document: JSONValue) {
  for isIndented in [false, true] {
    do throws(JSONError) {
      let back = try JSONValue(parsing: document.bytes(isIndented: isIndented))
      expect(back == document, "a document reads back as it was")
    } catch {
      expect(false, "a document that was read is read again: \(error)")
    }
  }
}

// MARK: Patches

private func checkPatch(_ bytes: [UInt8]) {
  guard let model = try? PatchModel.shared.get() else { return expect(false, "there is a model") }
  do throws(PatchError) {
    let patch = try Patch(json: Data(bytes), model: model)
    // What disagrees with the model may agree with it as it is written; after that nothing changes any more.
    guard let once = reread(patch, model), let twice = reread(once, model) else { return }
    expect(twice == once, "a patch reads back as it was")
    expect((try? twice.json()) == (try? once.json()), "equal patches are the same bytes")
  } catch {
    expect(!error.description.isEmpty, "an error has words")
  }
}

private func reread(_ patch: Patch, _ model: ManagedObjectModel) -> Patch? {
  // Marks may nest a patch more deeply than it was.
  guard let json = try? patch.json() else { return nil }
  do throws(PatchError) {
    return try Patch(json: json, model: model)
  } catch {
    expect(false, "a patch that was read is read again: \(error)")
    return nil
  }
}

enum PatchModel {
  static let shared: Result<ManagedObjectModel, ModelError> = Result { () throws(ModelError) in
    try ManagedObjectModel(entities: [
      EntityDescription(
        "Post", allowsAnyKey: true,
        attributes: [
          AttributeDescription("guid", .uuid, isIdentifier: true),
          AttributeDescription("title", .string), AttributeDescription("count", .integer),
          AttributeDescription("price", .decimal), AttributeDescription("size", .real),
          AttributeDescription("flag", .boolean), AttributeDescription("blob", .data),
          AttributeDescription("date", .date), AttributeDescription("link", .url),
          AttributeDescription("stats", .dictionary), AttributeDescription("likes", .counter),
          AttributeDescription("tags", .set), AttributeDescription("other", .reference),
          AttributeDescription("any", .transformed(by: "Any")),
        ],
        relationships: [
          RelationshipDescription("author", to: "Person", inverse: "posts"),
          RelationshipDescription("pages", to: "Post", isToMany: true, isOrdered: true),
          RelationshipDescription("readers", to: "Person", inverse: "read", isToMany: true),
          RelationshipDescription("next", to: "Post", inverse: "previous"),
          RelationshipDescription("previous", to: "Post", inverse: "next"),
        ]),
      EntityDescription(
        "Person", attributes: [AttributeDescription("name", .string, isIdentifier: true)],
        relationships: [
          RelationshipDescription("posts", to: "Post", inverse: "author", isToMany: true),
          RelationshipDescription("read", to: "Post", inverse: "readers", isToMany: true),
        ]),
    ])
  }
}

// MARK: The standards' patches

private func checkOperations(_ parts: [JSONValue]) {
  guard parts.count == 2 else { return }
  var limits = JSONLimits()
  limits.valueCount = 200_000
  do throws(JSONError) {
    let patch = try JSONPatchDocument(parts[1])
    let result = try patch.applied(to: parts[0], limits: limits)
    expect(result.extent.depth <= limits.depth, "no document becomes deeper than the limit")
    let again = try JSONPatchDocument(patch.document).applied(to: parts[0], limits: limits)
    expect(again == result, "operations that are written do the same")
  } catch {
    expect(!error.description.isEmpty, "an error has words")
  }
}

private func checkMerge(_ parts: [JSONValue]) {
  guard parts.count == 2 else { return }
  do throws(JSONError) {
    let merged = try JSONMergePatch(parts[1]).applied(to: parts[0])
    let patch = try JSONMergePatch(from: parts[0], to: merged)
    expect(try patch.applied(to: parts[0]) == merged, "a merge patch makes one document another")
  } catch {
    expect(!error.description.isEmpty, "an error has words")
  }
}
