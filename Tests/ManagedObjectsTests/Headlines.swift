import ManagedObjects
import ObjectModel

/// A model whose posts have computed keys.
enum Headlines {
  static func model() throws -> ManagedObjectModel {
    var model = try Probe.model()
    var program = model.program as? ModelProgram ?? ModelProgram()
    program.virtualAttributes["Post"] = [
      VirtualAttribute("headline") { (post: ManagedObject) in
        "\(post.value(forKey: "title")?.string ?? "") (\(post.value(forKey: "author")?.string ?? "anonymous"))"
      },
      VirtualAttribute(
        "byline",
        get: { (post: ManagedObject) in "by \(post.value(forKey: "author")?.string ?? "nobody")" },
        set: { post, line in post.setValue(.string(String(line.dropFirst(3))), forKey: "author") }),
      VirtualAttribute("place") { (post: ManagedObject) in
        guard case .reference(let id)? = post.value(forKey: "blog") else { return "nowhere" }
        return post.context?.object(with: id).value(forKey: "name")?.string ?? "nameless"
      },
      // What it reads, it reads so that nobody notices.
      VirtualAttribute(
        "summary", dependsOn: ["blog.name", "comments.text"],
        get: { (post: ManagedObject) in
          guard case .array(let comments)? = post.primitiveValue(forKey: "comments") else {
            return ""
          }
          let texts = comments.compactMap(\.reference).compactMap {
            post.context?.object(with: $0).primitiveValue(forKey: "text")?.string
          }
          return texts.joined(separator: ", ")
        }),
      VirtualAttribute("temper") { (post: ManagedObject) in "\(post["mood"]?.string ?? "calm")!" },
    ]
    model.program = program
    return model
  }

  /// Posts by b, c and a, and a comment on the one by c, saved.
  static func postsOfThree(
    in context: ManagedObjectContext
  ) throws -> (posts: [ManagedObject], comment: ManagedObject) {
    let posts = ["b", "c", "a"].map { name in
      let post = context.insert("Post")
      post.setValue(.string(name), forKey: "author")
      return post
    }
    let comment = context.insert("Comment")
    comment.setValue(.reference(posts[1].objectID), forKey: "post")
    try context.save()
    return (posts, comment)
  }
}

/// What observers were told.
final class Told {
  var changes: [ObservedChange] = []
  var lines: [String] { changes.map { line($0) } }

  private func line(_ change: ObservedChange) -> String {
    func text(_ value: Value?) -> String { value.map { $0.string ?? "\($0)" } ?? "-" }
    return "\(change.isPrior ? "will " : "")\(change.key) \(text(change.old)) \(text(change.new))"
  }
}
