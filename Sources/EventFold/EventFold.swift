// EventFold: pure functions: fold, inverse, diff, merge, policies. Knows no time, disk or randomness.
