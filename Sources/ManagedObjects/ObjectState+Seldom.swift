internal import ObjectModel

extension ObjectState {
  /// What few objects have, so that the others need no memory for it.
  final class Seldom {
    /// Values that were set while nothing is tracked; they are nobody's but this object's.
    var untracked: [KeyNumber: Value?]? {
      didSet { if untracked == nil { (covered, setOverIn) = ([:], [:]) } }
    }
    /// Those of them that are not shown, though the fold has no value either: there undoing or redoing has led back to a
    /// value that was set to what the store has.
    var covered: [KeyNumber: Value?] = [:]
    /// How many steps came before the one that has set a key over what is untracked; none where that is in no step.
    var setOverIn: [KeyNumber: Int?] = [:]
    /// Destinations of relationships that are answered from their inverse, where they have been read.
    var members: [KeyNumber: Members]?
    /// The program's values of transformed attributes, where they have been made or set.
    var decoded: [KeyNumber: DecodedValue]?
    /// What its delete rules go by; nil where it is not deleted.
    var deletion: Deletion?
    /// Who watches the object.
    var watch: ObjectWatch?
    /// What is told which properties are read, where the object is there for nothing else.
    var probe: KeyProbe?
  }

  /// Gives the memory back, where there is nothing in it.
  func forgetEmptySeldom() {
    guard let seldom else { return }
    let isEmpty =
      seldom.untracked == nil && seldom.members == nil && seldom.decoded == nil
      && seldom.deletion == nil && seldom.watch == nil && seldom.probe == nil
    if isEmpty { self.seldom = nil }
  }

  private var madeSeldom: Seldom {
    if let seldom { return seldom }
    let made = Seldom()
    seldom = made
    return made
  }

  // Those that hold much are changed where they lie.

  var untracked: [KeyNumber: Value?]? {
    @inline(__always) get { seldom?.untracked }
    set { if seldom != nil || newValue != nil { madeSeldom.untracked = newValue } }
    _modify { yield &madeSeldom.untracked }
  }

  var members: [KeyNumber: Members]? {
    @inline(__always) get { seldom?.members }
    set { if seldom != nil || newValue != nil { madeSeldom.members = newValue } }
    _modify {
      if let seldom {
        yield &seldom.members
      } else {
        // Asked of many that have none.
        var content: [KeyNumber: Members]?
        yield &content
        if content != nil { madeSeldom.members = content }
      }
    }
  }

  var decoded: [KeyNumber: DecodedValue]? {
    @inline(__always) get { seldom?.decoded }
    set { if seldom != nil || newValue != nil { madeSeldom.decoded = newValue } }
    _modify { yield &madeSeldom.decoded }
  }

  var deletion: Deletion? {
    @inline(__always) get { seldom?.deletion }
    set { if seldom != nil || newValue != nil { madeSeldom.deletion = newValue } }
  }

  var watch: ObjectWatch? {
    @inline(__always) get { seldom?.watch }
    set { if seldom != nil || newValue != nil { madeSeldom.watch = newValue } }
  }

  var probe: KeyProbe? {
    @inline(__always) get { seldom?.probe }
    set { if seldom != nil || newValue != nil { madeSeldom.probe = newValue } }
  }
}
