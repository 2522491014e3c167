// What work costs, for tests that compare two sizes of it in one run.

import Foundation

/// The least that some work tells of itself in three times.
package func leastOfThree(_ work: () throws -> UInt64) rethrows -> UInt64 {
  let first = try work()
  return min(first, try work(), try work())
}

/// How many nanoseconds of a processor the calling thread has taken so far.
package func threadTime() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}
