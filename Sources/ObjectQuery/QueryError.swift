/// Why there is no query: what is wrong, and where in its text.
public struct QueryError: Error, Hashable, Sendable {
  /// What can be wrong.
  public enum Code: Hashable, Sendable {
    /// The text cannot be read.
    case badText
    /// The text is too long, or parts stand within each other too deeply.
    case tooLarge
    /// The model has no entity of the name.
    case unknownEntity
    /// The entity has no such key.
    case unknownKey
    /// A path leads to several values or to none, where one is needed.
    case badPath
    /// A key is compared with what it can never hold, or in a way it cannot be.
    case cannotCompare
    /// A pattern is no regular expression.
    case badPattern
    /// A predicate has an operator that no filter has.
    case untranslatable
  }

  /// A place in a text.
  public struct Place: Hashable, Sendable {
    /// The line, from 1.
    public let line: Int
    /// The character in the line, from 1.
    public let column: Int
    /// The line's text.
    public let text: String
  }

  /// What is wrong.
  public let code: Code
  /// The same in a sentence.
  public let message: String
  /// Where; nil where there is no text.
  public let place: Place?

  init(_ code: Code, _ message: String, at place: Place? = nil) {
    self.code = code
    self.message = message
    self.place = place
  }
}

extension QueryError {
  /// That nothing can be asked of a store that has had no model yet.
  package static func noModel(_ query: Query) -> QueryError {
    QueryError(
      .unknownEntity,
      "There is no entity \(query.entity.prefix(60)), as the store has had no model yet.")
  }
}

extension QueryError: CustomStringConvertible {
  private static let widest = 72

  /// The sentence with line and column, and below it the line of the text with a caret under the place.
  public var description: String {
    guard let place else { return message }
    // Of a long line the neighbourhood is shown.
    let first = max(0, place.column - 1 - Self.widest / 2)
    let shown = String(place.text.dropFirst(first).prefix(Self.widest)).map { character in
      character == "\t" ? " " : String(character)
    }.joined()
    let caret = String(repeating: " ", count: place.column - 1 - first) + "^"
    return "line \(place.line), column \(place.column): \(message)\n\(shown)\n\(caret)"
  }
}

extension QueryError.Place {
  /// The place of a scalar in a text.
  init(_ offset: Int, in scalars: [Unicode.Scalar]) {
    let offset = min(offset, scalars.count)
    let before = scalars[..<offset]
    let start = before.lastIndex(of: "\n").map { $0 + 1 } ?? 0
    let end = scalars[offset...].firstIndex(of: "\n") ?? scalars.count
    line = before.count { $0 == "\n" } + 1
    column = Self.text(scalars[start..<offset]).count + 1
    text = Self.text(scalars[start..<end])
  }

  private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }
}
