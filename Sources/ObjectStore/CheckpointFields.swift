internal import Journaling
internal import ObjectModel

// What a checkpoint's property list is made of, by name.

/// A checkpoint whose check fits and whose contents do not.
struct CheckpointProblem: Error {}

extension CommitNumber {
  var value: Value { .integer(Int(rawValue)) }
}

extension Value {
  func fields() throws(CheckpointProblem) -> [String: Value] {
    guard case .dictionary(let fields) = self else { throw CheckpointProblem() }
    return fields
  }

  func text() throws(CheckpointProblem) -> String {
    guard case .string(let text) = self else { throw CheckpointProblem() }
    return text
  }

  func integer() throws(CheckpointProblem) -> Int {
    guard case .integer(let number) = self else { throw CheckpointProblem() }
    return number
  }

  /// A number through the largest, or what follows it.
  func count() throws(CheckpointProblem) -> UInt64 {
    guard let count = UInt64(exactly: try integer()), count <= Limits.number + 1 else {
      throw CheckpointProblem()
    }
    return count
  }

  func indexNumber() throws(CheckpointProblem) -> IndexNumber {
    guard let number = UInt32(exactly: try count()), number > 0, number < .max else {
      throw CheckpointProblem()
    }
    return IndexNumber(rawValue: number)
  }

  func commit() throws(CheckpointProblem) -> CommitNumber {
    let number = CommitNumber(rawValue: try count())
    guard number <= .largest else { throw CheckpointProblem() }
    return number
  }
}

extension [String: Value] {
  private func field(_ name: String) throws(CheckpointProblem) -> Value {
    guard let value = self[name] else { throw CheckpointProblem() }
    return value
  }

  func text(_ name: String) throws(CheckpointProblem) -> String {
    try field(name).text()
  }

  func integer(_ name: String) throws(CheckpointProblem) -> Int {
    try field(name).integer()
  }

  func count(_ name: String) throws(CheckpointProblem) -> UInt64 {
    try field(name).count()
  }

  func commit(_ name: String) throws(CheckpointProblem) -> CommitNumber {
    try field(name).commit()
  }

  func dictionary(_ name: String) throws(CheckpointProblem) -> [String: Value] {
    try field(name).fields()
  }

  func array(_ name: String) throws(CheckpointProblem) -> [Value] {
    guard case .array(let values) = try field(name) else { throw CheckpointProblem() }
    return values
  }
}
