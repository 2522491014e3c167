import Foundation
import ManagedObjects
import ObjectModel
import ObjectPatching
import ObjectStore
import Testing

/// Creations that do not say all of an object, by the doors of the standards.
@Suite struct JSONBeginningTests {
  @Test func `a creation by the doors of the standards makes what it makes itself`() throws {
    let (stage, model) = (try PatchStage(), try PatchStage.model())
    let patch = Patch(objects: [
      ObjectPatch(creating: PatchIdentity("Book", "guid", "b"), new: ["score": 1])
    ])
    let operations = try patch.jsonPatch(model: model)
    let merge = try patch.mergePatch(model: model)
    let context = stage.context()
    let empty = try context.jsonGraph()
    try patch.apply(to: context)
    let (expected, graph) = (try GraphPicture(context), try context.jsonGraph())
    context.rollback()
    for other in [
      try Patch(jsonPatch: operations, against: context),
      try Patch(mergePatch: merge, against: context),
      try Patch(jsonPatch: operations, graph: empty, model: model),
      try Patch(mergePatch: merge, graph: empty, model: model),
    ] {
      let context = stage.context()
      try other.apply(to: context)
      #expect(try GraphPicture(context).difference(from: expected) == nil)
      context.rollback()
    }
    // So is the document of whoever keeps one.
    let kept = try JSONPatchDocument(JSONValue(parsing: operations))
      .applied(to: JSONValue(parsing: empty))
    #expect(try kept == JSONValue(parsing: graph), "\(String(decoding: operations, as: UTF8.self))")
  }
}
