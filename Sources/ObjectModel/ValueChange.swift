/// A change of one value, which can be made and taken back: it has all that is needed for both.
///
/// Nil stands for no value, which is what null is where it is stored.
package enum ValueChange: Hashable, Sendable {
  /// One value for another; the two differ.
  case replaced(old: Value?, new: Value?)
  /// Another middle of a long string, data or array, or several.
  case spliced(Splice)
  /// A counter by an amount that is neither 0 nor the least integer. There is a counter before and after.
  case counted(Int)
  /// Other members of a set, at least one. There is a set before and after.
  case regrouped(inserted: Set<Value>, removed: Set<Value>)
}
