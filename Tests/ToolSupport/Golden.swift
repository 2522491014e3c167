internal import Foundation

/// A text that is kept beside the tests, and compared.
package enum Golden {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Compares a text with the one that is kept under a name, relative to the folder of all tests. With `XJ_WRITE_GOLDEN`
  /// set it is written anew, and that is a problem too, so that nobody keeps one unread.
  ///
  /// Control characters are kept as the pictures of them, so that the file is a text whatever a value has.
  ///
  /// - Returns: why the two are not the same; nil where they are.
  package static func problem(with output: String, keptAs name: String) throws -> String? {
    let text = withPictures(output)
    let file = folder.appending(path: name)
    let kept = try? String(contentsOf: file, encoding: .utf8)
    guard kept != text else { return nil }
    if ProcessInfo.processInfo.environment["XJ_WRITE_GOLDEN"] != nil {
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
      return "\(name) was written anew: read it, and run this again without XJ_WRITE_GOLDEN"
    }
    return "\(name) is not what comes out now, which Tools/check golden would keep: "
      + difference(kept ?? "", text)
  }

  private static func withPictures(_ text: String) -> String {
    var scalars = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isControl = scalar.value < 0x20 && scalar != "\n" && scalar != "\t"
      scalars.append(isControl ? Unicode.Scalar(0x2400 + scalar.value) ?? scalar : scalar)
    }
    return String(scalars)
  }

  /// The first line that differs.
  private static func difference(_ kept: String, _ text: String) -> String {
    let (old, new) = (
      kept.split(separator: "\n", omittingEmptySubsequences: false),
      text.split(separator: "\n", omittingEmptySubsequences: false)
    )
    let place =
      zip(old, new).enumerated().first { $1.0 != $1.1 }?.offset ?? min(old.count, new.count)
    let was = place < old.count ? old[place] : "nothing"
    let is_ = place < new.count ? new[place] : "nothing"
    return "line \(place + 1) is\n\(is_)\nand was\n\(was)"
  }
}
