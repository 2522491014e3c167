import Foundation
import ManagedObjects
import ObjectModel
import Synchronization
import XJournal

// The model of the tour, as it is written there, and what goes with it.

final class Blog: ManagedObject {
  @Attribute("title") var title: String?
  @Relationship("posts", inverse: "blog", deleteRule: .cascade) var posts: Set<Post>
}

final class Post: ManagedObject {
  @Attribute("title", .indexed) var title: String = "Untitled"
  @Attribute("author") var author: String?
  @Attribute("postDate") var postDate: Date?
  @Attribute("guid", .identifier) var guid: UUID?
  @Attribute("scratch", .transient) var scratch: String?
  @Attribute("cover", .transformed(by: ColorTransformer())) var cover: Color?
  @Attribute("bounds") var bounds: CGRect?
  @Counter("likes") var likes: Int
  @ValueSet("tags") var tags: Set<String>
  @Relationship("blog", inverse: "posts") var blog: Blog?
  @Relationship("comments", inverse: "post", deleteRule: .cascade) var comments: Set<Comment>

  var headline: String { "\(title) (\(author ?? "anonymous"))" }
  override class var virtualAttributes: [VirtualAttribute] {
    [VirtualAttribute("headline") { (post: Post) in post.headline }]
  }
}

final class Comment: ManagedObject {
  @Attribute("text") var text: String?
  @Relationship("post", inverse: "comments") var post: Post?
}

/// A colour, as a program has it.
struct Color: Hashable {
  var red = 0
  var green = 0
  var blue = 0
}

/// Stores colours as text. One that has more red than there is cannot be stored.
struct ColorTransformer: ValueTransformer {
  struct TooRed: Error, CustomStringConvertible {
    let description = "there is too much red in it."
  }

  /// How often colours were stored and read.
  final class Count: Sendable {
    private let counts = Mutex((encoded: 0, decoded: 0))
    func encode() { counts.withLock { $0.encoded += 1 } }
    func decode() { counts.withLock { $0.decoded += 1 } }
    var encoded: Int { counts.withLock { $0.encoded } }
    var decoded: Int { counts.withLock { $0.decoded } }
  }

  var count = Count()

  func encode(_ color: Color) throws -> Value {
    if color.red > 255 { throw TooRed() }
    count.encode()
    return .string("\(color.red) \(color.green) \(color.blue)")
  }

  func decode(_ value: Value) throws -> Color {
    count.decode()
    let numbers = (value.string ?? "").split(separator: " ").compactMap { Int($0) }
    guard numbers.count == 3 else { throw TooRed() }
    return Color(red: numbers[0], green: numbers[1], blue: numbers[2])
  }
}
