extension String {
  /// The text with some of its scalars replaced. A character may have more than one: what a mark follows, or is preceded
  /// by, is no less a quote or a bracket to whoever reads it.
  func escaping(_ replacement: (Unicode.Scalar) -> String?) -> String {
    var escaped = String.UnicodeScalarView()
    for scalar in unicodeScalars {
      if let text = replacement(scalar) {
        escaped.append(contentsOf: text.unicodeScalars)
      } else {
        escaped.append(scalar)
      }
    }
    return String(escaped)
  }
}
