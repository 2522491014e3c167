// What work costs, for tests that compare two sizes of it in one run.

import Foundation

/// How many times as long many of something take as few, where the least of three times counts. With eight times as many
/// it is 8 where each costs the same, and 64 where each costs as much as all.
package func growth(
  from few: Int, to many: Int, of time: (Int) throws -> UInt64
) rethrows -> Double {
  let (least, most) = (
    min(try time(few), try time(few), try time(few)),
    min(try time(many), try time(many), try time(many))
  )
  return Double(most) / Double(least)
}

/// How many nanoseconds of a processor the calling thread has taken so far.
package func threadTime() -> UInt64 {
  var time = timespec()
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

/// How many nanoseconds of a processor some work takes on the calling thread.
package func threadTime(of work: () throws -> Void) rethrows -> UInt64 {
  let begin = threadTime()
  try work()
  return threadTime() - begin
}
