public import FoundationEssentials
public import ManagedObjects
internal import ObjectModel

// The graph of a context as one JSON document, and the patches of the standards against it.
extension ManagedObjectContext {
  /// What the context shows, with what is not saved in it, as one JSON document (docs/patching.md).
  ///
  /// Costs: reading all objects of the entities.
  ///
  /// - Parameter entities: the names of those whose objects are wanted; nil for all.
  /// - Throws: `StoreError` where the store cannot be read; `PatchError` where two objects of an entity are named the same,
  ///   or one is named by what is no key of a JSON object.
  public func jsonGraph(entities: Set<String>? = nil, isIndented: Bool = false) throws -> Data {
    do {
      let graph = try JSONGraphWriting(self)
      let document = try graph.document { entity in entities?.contains(entity) ?? true }
      return Data(document.bytes(isIndented: isIndented))
    } catch let error as JSONError {
      throw PatchError(error)
    }
  }
}

extension Patch {
  /// What a JSON Patch (RFC 6902) does to the graph that a context shows. Nothing is applied.
  ///
  /// Costs: reading the objects that the operations name.
  ///
  /// - Throws: `PatchError` for what is no JSON Patch, for a test that fails, and for what becomes no graph of the model;
  ///   `StoreError` where the store cannot be read.
  public init(jsonPatch: Data, against context: ManagedObjectContext) throws {
    do {
      let operations = try JSONPatchDocument(JSONValue(parsing: jsonPatch))
      let graph = try JSONGraphWriting(context)
      let before = try graph.document(of: operations.operations.flatMap(\.pointers))
      self = try JSONGraphDifference(graph.graph).patch(
        from: before, to: operations.applied(to: before))
    } catch let error as JSONError {
      throw PatchError(error)
    }
  }

  /// What a JSON Merge Patch (RFC 7396) does to the graph that a context shows. Nothing is applied.
  ///
  /// Costs: reading the objects that the patch names.
  ///
  /// - Throws: `PatchError` for what is no JSON, and for what becomes no graph of the model; `StoreError` where the store
  ///   cannot be read.
  public init(mergePatch: Data, against context: ManagedObjectContext) throws {
    do {
      let merge = JSONMergePatch(try JSONValue(parsing: mergePatch))
      let graph = try JSONGraphWriting(context)
      let before = try graph.document(of: merge.pointers)
      self = try JSONGraphDifference(graph.graph).patch(
        from: before, to: merge.applied(to: before))
    } catch let error as JSONError {
      throw PatchError(error)
    }
  }
}

extension JSONPatchDocument.Operation {
  /// The places that it looks at or changes.
  fileprivate var pointers: [JSONPointer] {
    switch self {
    case .add(let path, _), .remove(let path), .replace(let path, _), .test(let path, _): [path]
    case .move(let from, let path), .copy(let from, let path): [from, path]
    }
  }
}

extension JSONMergePatch {
  /// The objects that it names, or the entities that it replaces.
  fileprivate var pointers: [JSONPointer] {
    guard case .object(let entities) = document else { return [JSONPointer([])] }
    return entities.members.flatMap { name, objects -> [JSONPointer] in
      guard case .object(let objects) = objects else { return [JSONPointer([name])] }
      return objects.members.map { JSONPointer([name, $0.key]) }
    }
  }
}
