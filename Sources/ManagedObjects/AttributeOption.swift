public import ObjectModel

/// What else there is to say of an attribute, where a class declares it: `@Attribute("title", .indexed)`.
public struct AttributeOption: Sendable {
  enum Content {
    case isIndexed
    case isIdentifier
    case isTransient
    case isOptional(Bool)
    case validation([ValidationRule])
    case merging(AttributeMerging)
    case merge(MergeFunction)
    case formerName(String)
  }

  let content: Content

  /// Fetches by it are answered from an index.
  public static let indexed = AttributeOption(content: .isIndexed)
  /// Diff and patch find objects by it; an entity has one such attribute.
  public static let identifier = AttributeOption(content: .isIdentifier)
  /// It is never saved.
  public static let transient = AttributeOption(content: .isTransient)
  /// It may hold nothing when it is saved, though the property has a default: that stands for nothing then.
  public static let optional = AttributeOption(content: .isOptional(true))
  /// It must hold something when it is saved, though the property may be nil until then.
  public static let required = AttributeOption(content: .isOptional(false))

  /// What a value must be like to be saved.
  public static func validation(_ rules: ValidationRule...) -> AttributeOption {
    AttributeOption(content: .validation(rules))
  }

  /// A value has at least so many characters, bytes or members.
  public static func minLength(_ length: Int) -> AttributeOption { validation(.minLength(length)) }

  /// A value has at most so many characters, bytes or members.
  public static func maxLength(_ length: Int) -> AttributeOption { validation(.maxLength(length)) }

  /// A value is not smaller than this.
  public static func minimum(_ limit: Value) -> AttributeOption { validation(.minimum(limit)) }

  /// A value is not larger than this.
  public static func maximum(_ limit: Value) -> AttributeOption { validation(.maximum(limit)) }

  /// A text as a whole matches a regular expression.
  public static func matches(_ pattern: String) -> AttributeOption { validation(.matches(pattern)) }

  /// How the changes of two contexts become one value.
  public static func merging(_ merging: AttributeMerging) -> AttributeOption {
    AttributeOption(content: .merging(merging))
  }

  /// A function makes one value of the changes of two contexts, or throws where only a person can.
  public static func merging(_ function: @escaping MergeFunction) -> AttributeOption {
    AttributeOption(content: .merge(function))
  }

  /// The name that the attribute had in the model before.
  public static func renamed(from formerName: String) -> AttributeOption {
    AttributeOption(content: .formerName(formerName))
  }
}
