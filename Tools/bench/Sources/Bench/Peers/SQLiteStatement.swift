import CSQLite

/// A prepared statement.
final class SQLiteStatement {
  enum Binding {
    case integer(Int)
    case real(Double)
    case text(String)
  }

  private let statement: OpaquePointer
  /// Texts stay where they are until the statement has run.
  private static let isTransient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)

  init(_ statement: OpaquePointer) { self.statement = statement }

  deinit { sqlite3_finalize(statement) }

  /// Runs it to its end.
  func run(_ bindings: Binding...) throws {
    bind(bindings)
    let code = sqlite3_step(statement)
    sqlite3_reset(statement)
    guard code == SQLITE_DONE || code == SQLITE_ROW else {
      throw BenchError.peer("SQLite says \(code)")
    }
  }

  /// Goes to the next row, with bindings to the first; false after the last.
  func step(_ bindings: Binding...) throws -> Bool {
    bind(bindings)
    let code = sqlite3_step(statement)
    guard code == SQLITE_DONE || code == SQLITE_ROW else {
      throw BenchError.peer("SQLite says \(code)")
    }
    return code == SQLITE_ROW
  }

  func reset() { sqlite3_reset(statement) }

  private func bind(_ bindings: [Binding]) {
    for (index, binding) in bindings.enumerated() {
      let place = Int32(index + 1)
      switch binding {
      case .integer(let value): sqlite3_bind_int64(statement, place, Int64(value))
      case .real(let value): sqlite3_bind_double(statement, place, value)
      case .text(var text):
        text.withUTF8 { bytes in
          bytes.withMemoryRebound(to: CChar.self) { bytes in
            _ = sqlite3_bind_text(
              statement, place, bytes.baseAddress, Int32(bytes.count), Self.isTransient)
          }
        }
      }
    }
  }

  func integer(_ column: Int32) -> Int { Int(sqlite3_column_int64(statement, column)) }

  func text(_ column: Int32) -> String {
    String(
      decoding: UnsafeBufferPointer(
        start: sqlite3_column_text(statement, column),
        count: Int(sqlite3_column_bytes(statement, column))), as: UTF8.self)
  }

  var note: Note {
    Note(
      number: integer(0), title: text(1), text: text(2), rank: integer(3),
      created: sqlite3_column_double(statement, 4), score: sqlite3_column_double(statement, 5),
      isDone: integer(6) == 1)
  }

  /// Gives a note the old value that follows the key.
  func takeBack(from note: inout Note, key: Int32) {
    switch text(key) {
    case "title": note.title = text(key + 1)
    case "rank": note.rank = integer(key + 1)
    case "score": note.score = sqlite3_column_double(statement, key + 1)
    default: break
    }
  }
}
