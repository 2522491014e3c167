/// `xjournal get`: an object, or some of its values.
extension Command {
  static let get = Command(
    "get", "Shows an object, or some of its values.",
    details: [
      "Values of keys that are named stand on a line each, whole and by themselves, and texts without quotes. A relationship "
        + "to many that no object holds, as its inverse leads to one, is answered where it is named.",
      "Post/7 is the object of that number, where there ever was one; else that of which 7 is an identifier. The entity may be "
        + "called as any model has called it. With --at the object is shown by the names of then, and keys are named so.",
    ],
    examples: [
      Example("xjournal get Post/1", "an object with all its values"),
      Example("xjournal get Post/1 title", "one value by itself, for a script"),
      Example("xjournal get Post/1 --at head~1", "the object as it was before the last commit"),
    ],
    operands: [
      Operand("OBJECT", "Post/7, the value of an identifier, or a URI"),
      Operand("KEY", "a key of the object", isOptional: true, isRepeated: true),
    ],
    travels: true
  ) { (request) throws(ToolError) in try ObjectPrinter.show(request) }
}
