/// A place in a patch: `/3/blog/posts/0/title` is the title in the first of the patches nested under `posts` of the
/// patch nested under `blog` of the fourth object patch. A relationship to one has no number behind it.
public struct PatchPath: Hashable, Sendable {
  /// The numbers of patches and the names of keys, from the outermost on.
  public let components: [String]

  /// Makes a path of its components.
  public init(_ components: [String] = []) { self.components = components }

  /// The path with one more key.
  public func appending(_ key: String) -> PatchPath { PatchPath(components + [key]) }

  /// The path with one more number.
  public func appending(_ index: Int) -> PatchPath { PatchPath(components + [String(index)]) }
}

extension PatchPath {
  /// The path as it stands in a sentence, with the beginnings of long keys.
  var words: String { JSONPointer(components.map(JSONError.clipped)).text }
}

extension PatchPath: CustomStringConvertible {
  /// The path as RFC 6901 writes one: `~` is written `~0`, and `/` within a key `~1`.
  public var description: String {
    JSONPointer(components).text
  }
}
