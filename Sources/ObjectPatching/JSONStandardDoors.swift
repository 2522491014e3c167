public import FoundationEssentials
public import ObjectModel

// Patches for those who speak JSON Patch (RFC 6902) or JSON Merge Patch (RFC 7396). Both are said of the graph as one JSON
// document: entities by their names, in them the objects by their identifiers (docs/patching.md).
extension Patch {
  /// The patch as a JSON Patch of the graph's document. It tests the old values, so that it fails where they are others.
  ///
  /// A deletion does not take out what leads to what goes by relationships that nobody clears, as those without inverse:
  /// it does not know who leads there. Whoever keeps a document takes out of it, after each patch, what leads nowhere, as
  /// the next does not count it; and takes patches one by one, as a joined one may count what it deletes, or may not
  /// (docs/patching.md).
  ///
  /// - Throws: `PatchError` where the changes of an object stand in several places, it gets another identifier, it leaves an
  ///   order without saying its place, or a key or pointer has more combining marks in a row than a name has.
  public func jsonPatch(
    model: ManagedObjectModel, isIndented: Bool = false
  ) throws(PatchError) -> Data {
    let entries = try FlatPatch(self, model).entries
    do throws(JSONError) {
      let operations = try JSONOperations(entries, JSONGraph(model: model)).operations
      for (index, operation) in operations.enumerated() {
        do throws(JSONError) {
          for token in operation.pointers.flatMap(\.tokens) {
            try JSONValue.refuseUnreadable(token)
          }
        } catch {
          throw error.inside(index)
        }
      }
      return Data(
        try JSONPatchDocument(operations).document.readableBytes(isIndented: isIndented))
    } catch {
      throw PatchError(error)
    }
  }

  /// The patch as a JSON Merge Patch of the graph's document. The old values are not in it.
  ///
  /// - Throws: `PatchError` where the changes of an object stand in several places, it gets another identifier, an order
  ///   changes in part, a value has nulls within, which no merge patch can say, or a key or pointer has more combining
  ///   marks in a row than a name has.
  public func mergePatch(
    model: ManagedObjectModel, isIndented: Bool = false
  ) throws(PatchError) -> Data {
    let entries = try FlatPatch(self, model).entries
    do throws(JSONError) {
      let document = try JSONMergeWriting(entries, JSONGraph(model: model)).document
      return Data(try document.readableBytes(isIndented: isIndented))
    } catch {
      throw PatchError(error)
    }
  }

  /// What a JSON Patch does to a graph.
  ///
  /// Costs: time in proportion to the document and the operations.
  ///
  /// - Parameters:
  ///   - graph: the graph's document, or the part of it that the patch speaks of.
  ///   - allowsDynamicKeys: whether keys that the model does not know, and the objects do not have yet, are taken as
  ///     dynamic attributes, also of entities that do not allow any key.
  /// - Throws: `PatchError` for what is no JSON Patch, for a test that fails, and for what becomes no graph of the model.
  public init(
    jsonPatch: Data, graph: Data, model: ManagedObjectModel, allowsDynamicKeys: Bool = false
  ) throws(PatchError) {
    do throws(JSONError) {
      let before = try JSONValue(parsing: graph)
      let operations = try JSONPatchDocument(JSONValue(parsing: jsonPatch))
      let difference = JSONGraphDifference(
        JSONGraph(model: model), allowsDynamicKeys: allowsDynamicKeys)
      self = try difference.patch(
        from: before, to: operations.applied(to: before))
    } catch {
      throw PatchError(error)
    }
  }

  /// What a JSON Merge Patch does to a graph.
  ///
  /// - Parameters:
  ///   - graph: the graph's document, or the part of it that the patch speaks of.
  ///   - allowsDynamicKeys: whether keys that the model does not know, and the objects do not have yet, are taken as
  ///     dynamic attributes, also of entities that do not allow any key.
  /// - Throws: `PatchError` for what is no JSON, and for what becomes no graph of the model.
  public init(
    mergePatch: Data, graph: Data, model: ManagedObjectModel, allowsDynamicKeys: Bool = false
  ) throws(PatchError) {
    do throws(JSONError) {
      let before = try JSONValue(parsing: graph)
      let merge = JSONMergePatch(try JSONValue(parsing: mergePatch))
      let difference = JSONGraphDifference(
        JSONGraph(model: model), allowsDynamicKeys: allowsDynamicKeys)
      self = try difference.patch(
        from: before, to: merge.applied(to: before))
    } catch {
      throw PatchError(error)
    }
  }
}
