/// A kind of JSON document that the tool writes: what the manual says of it, and a test holds all output to.
package struct JSONKind: Sendable {
  package let name: String
  package let summary: String
  /// Those that may be there beside `version` and `kind`.
  package let members: [String]

  package init(_ name: String, _ summary: String, _ members: String) {
    self.name = name
    self.summary = summary
    self.members = members.split(separator: " ").map(String.init)
  }

  /// What commands write that look.
  package static let all = [
    JSONKind(
      "info", "a journal",
      "path store lastCommit firstKeptCommit lastDate lastAuthor segments bytes entities tags isBehind"
    ),
    JSONKind(
      "commit",
      "a commit; `changes` with -p, or without old and new values with --stat, and `incomplete` where the rest of them cannot be read",
      "number date author message context tags userInfo inserted updated deleted changes incomplete"
    ),
    JSONKind("object", "an object at a commit", "object uri entity at values"),
    JSONKind(
      "objects", "objects in one document; `incomplete` where the rest of them cannot be read",
      "at objects incomplete"),
    JSONKind("count", "how many objects a query finds", "count"),
    JSONKind("explanation", "how a query is answered", "text"),
    JSONKind(
      "value", "a value and the commit that set it",
      "object key commit date author message context old new"),
    JSONKind(
      "difference",
      "what differs of an object; `isWithoutEntity` is true where the later model does not have its entity",
      "object uri change isWithoutEntity values"),
    JSONKind(
      "differenceCount", "how much differs of an entity", "entity inserted updated deleted values"),
    JSONKind(
      "event", "an event; what is there depends on `event`, which says of which kind it is",
      "event date context object key value keptBefore keptBehind old new further commit name inserted removed isOn restored "
        + "objects keepingChanges reason keys tag entities number"),
    JSONKind("schema", "the model at a commit", "at entities"),
    JSONKind(
      "draft", "what a context has not saved; `changes` with show",
      "context name date base edits isBehind problem objects changes"),
    JSONKind(
      "verification", "what a verification has found",
      "isSound isDeep lastCommit firstKeptCommit findings doubts comparedCommits directCommits uncomparedCommits"
    ),
    JSONKind(
      "growth", "the size of the journal when each of its segments began, and now", "points"),
    JSONKind(
      "activity", "how many events came before each commit from the first shown on", "first events"),
    JSONKind(
      "modelChange",
      "what a change of the model has made of objects, between the commits of a report: `former` is what they were called before",
      "after entities formerEntities objects incomplete"),
    JSONKind("check", "what replay --check has found", "comparedCommits findings"),
    JSONKind(
      "stats", "what can be counted; `unread` says what could not be read",
      "unread files frames storedBytes payloadBytes objects events touchedMost"),
    JSONKind("segmentHeader", "the header of a segment", "file offset bytes fields"),
    JSONKind("segmentFooter", "the footer of a segment", "file offset fields"),
    JSONKind(
      "frame",
      "a frame; `payload` with --hex, with `payloadBytes` where it is longer and only its beginning is there",
      "file offset number frameKind fields content payload payloadBytes"),
    JSONKind(
      "frameContent", "further entries of the frame before, where it has many",
      "file offset number content"),
    JSONKind("filePart", "a part of another file of the journal", "file part offset fields"),
    JSONKind("bytes", "bytes that are no frame", "offset lines"),
    JSONKind("help", "how commands are used", "commands"),
    JSONKind("version", "the version of the tool", "tool toolVersion"),
    JSONKind("completions", "a script for a shell", "shell script"),
    JSONKind("manual", "the manual", "format text"),
    JSONKind(
      "note",
      "something that is not as it should be, on the standard error output, and in a report",
      "message"),
    JSONKind("error", "why a command ended, on the standard error output", "status message"),
  ]
}
