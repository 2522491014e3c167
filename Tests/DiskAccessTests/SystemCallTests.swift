import DiskAccess
import Foundation
import Testing

@Suite("calls of the system")
struct SystemCallTests {
  @Test func `an interrupted call is made again`() throws {
    var answers: [(answer: Int, code: Int32)] = [(-1, EINTR), (-1, EINTR), (42, 0)]
    let answer = uninterrupted {
      let (answer, code) = answers.removeFirst()
      errno = code
      return answer
    }
    #expect(try answer.get() == 42)
    #expect(answers.isEmpty)
  }

  @Test func `a call that fails otherwise is made once`() {
    var count = 0
    let answer = uninterrupted { () -> Int in
      count += 1
      errno = EIO
      return -1
    }
    #expect(throws: SystemErrorCodeFailure.self) { try answer.get() }
    #expect(count == 1)
  }

  @Test func `a transfer goes on until all is moved`() {
    var asked: [Int] = []
    let done = transfer(10) { moved in
      asked.append(moved)
      return min(4, 10 - moved)
    }
    #expect(asked == [0, 4, 8])
    #expect(done.byteCount == 10)
    #expect(done.failure == nil)
  }

  @Test func `a transfer ends where nothing is moved`() {
    let done = transfer(10) { moved in moved == 0 ? 3 : 0 }
    #expect(done.byteCount == 3)
    #expect(done.failure == nil)
  }

  @Test func `a transfer tells how far it came before it failed`() {
    var steps: [(Int, Int32)] = [(3, 0), (-1, EINTR), (2, 0), (-1, ENOSPC)]
    let done = transfer(10) { _ in
      let (answer, code) = steps.removeFirst()
      errno = code
      return answer
    }
    #expect(done.byteCount == 5)
    #expect(done.failure == .noSpace)
  }

  @Test func `nothing is transferred without a call`() {
    let done = transfer(0) { _ in -1 }
    #expect(done.byteCount == 0)
    #expect(done.failure == nil)
  }
}
