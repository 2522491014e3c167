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
  ///   one is named by what is no key of a JSON object, or a key has more combining marks in a row than a name has.
  public func jsonGraph(entities: Set<String>? = nil, isIndented: Bool = false) throws -> Data {
    do {
      let graph = try JSONGraphWriting(self, nil)
      let document = try graph.document { entity in entities?.contains(entity) ?? true }
      return Data(try document.readableBytes(isIndented: isIndented))
    } catch let error as JSONError {
      throw PatchError(error)
    }
  }
}

extension Patch {
  /// What a JSON Patch (RFC 6902) does to the graph that a context shows. Nothing is applied.
  ///
  /// Costs: reading the objects that the operations name, those that lead to what is taken out, and what goes along with
  /// that: all objects where one speaks of the whole document.
  ///
  /// - Parameter allowsDynamicKeys: whether keys that the model does not know, and the objects do not have yet, are taken
  ///   as dynamic attributes, also of entities that do not allow any key.
  /// - Throws: `PatchError` for what is no JSON Patch, for a test that fails, for what becomes no graph of the model, and
  ///   where the document that is spoken of is too large; `StoreError` where the store cannot be read.
  public init(
    jsonPatch: Data, against context: ManagedObjectContext, allowsDynamicKeys: Bool = false
  ) throws {
    try self.init(
      jsonPatch: jsonPatch, against: context, allowsDynamicKeys: allowsDynamicKeys,
      limits: JSONLimits())
  }

  /// The same, with other limits.
  package init(
    jsonPatch: Data, against context: ManagedObjectContext, allowsDynamicKeys: Bool = false,
    limits: JSONLimits
  ) throws {
    do {
      let operations = try JSONPatchDocument(JSONValue(parsing: jsonPatch, limits: limits))
      self = try Self.changing(
        operations.operations.flatMap(\.pointers), in: JSONGraphWriting(context, limits),
        allowsDynamicKeys: allowsDynamicKeys
      ) { try operations.applied(to: $0, limits: limits) }
    } catch let error as JSONError {
      throw PatchError(error)
    }
  }

  /// What a JSON Merge Patch (RFC 7396) does to the graph that a context shows. Nothing is applied.
  ///
  /// Costs: reading the objects that the patch names, those that lead to what it takes out, and what goes along with that:
  /// all objects of an entity that it takes away.
  ///
  /// - Parameter allowsDynamicKeys: whether keys that the model does not know, and the objects do not have yet, are taken
  ///   as dynamic attributes, also of entities that do not allow any key.
  /// - Throws: `PatchError` for what is no JSON, for what becomes no graph of the model, and where the document that is
  ///   spoken of is too large; `StoreError` where the store cannot be read.
  public init(
    mergePatch: Data, against context: ManagedObjectContext, allowsDynamicKeys: Bool = false
  ) throws {
    try self.init(
      mergePatch: mergePatch, against: context, allowsDynamicKeys: allowsDynamicKeys,
      limits: JSONLimits())
  }

  /// The same, with other limits.
  package init(
    mergePatch: Data, against context: ManagedObjectContext, allowsDynamicKeys: Bool = false,
    limits: JSONLimits
  ) throws {
    do {
      let merge = JSONMergePatch(try JSONValue(parsing: mergePatch, limits: limits))
      let graph = try JSONGraphWriting(context, limits)
      self = try Self.changing(
        merge.pointers(), in: graph, allowsDynamicKeys: allowsDynamicKeys
      ) { try merge.applied(to: $0) }
    } catch let error as JSONError {
      throw PatchError(error)
    }
  }

  /// What a closure does to the document of what pointers name.
  private static func changing(
    _ pointers: [JSONPointer], in graph: JSONGraphWriting, allowsDynamicKeys: Bool,
    _ body: (JSONValue) throws -> JSONValue
  ) throws -> Patch {
    let before = try graph.document(of: pointers)
    let outcome = try graph.outcome(from: before, to: body(before))
    return try JSONGraphDifference(graph.graph, allowsDynamicKeys: allowsDynamicKeys).patch(
      from: outcome.before, to: outcome.after, goingAlong: outcome.goingAlong)
  }
}

extension JSONPatchDocument.Operation {
  /// The places that it looks at or changes.
  var pointers: [JSONPointer] {
    switch self {
    case .add(let path, _), .remove(let path), .replace(let path, _), .test(let path, _): [path]
    case .move(let from, let path), .copy(let from, let path): [from, path]
    }
  }
}

extension JSONMergePatch {
  /// The objects that it names, or the entities that it takes away.
  ///
  /// - Throws: where it would make something else of the graph, or of an entity's objects, than an object; nothing needs
  ///   to be read to know that.
  fileprivate func pointers() throws(JSONError) -> [JSONPointer] {
    var pointers: [JSONPointer] = []
    for (name, objects) in try document.asObject().members {
      if case .null = objects {
        pointers.append(JSONPointer([name]))
        continue
      }
      do throws(JSONError) {
        pointers += try objects.asObject().members.map { JSONPointer([name, $0.key]) }
      } catch {
        throw error.inside(name)
      }
    }
    return pointers
  }
}
