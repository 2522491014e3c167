// Whatever way a state is come by, it is the same state.

import ObjectModel
import ObjectStore
import TestSupport
import Testing

@Suite struct FoldTests {
  @Test func `every state of random histories is the same live, replayed and counted back`() throws
  {
    let campaign = Campaign(count: "XJ_CAMPAIGN_HISTORIES", inGate: 30)
    var stateCount = 0
    for round in 0..<campaign.count {
      let seed = campaign.seed &+ UInt64(round)
      var life = try StoreLife(seed: seed)
      for step in 0..<25 {
        try life.save()
        if step % 7 == 3 { try life.roll() }
        if step % 11 == 5 { try life.reopen() }
        #expect(try life.store.head.plain() == life.state, "seed \(seed), step \(step)")
      }
      try life.reopen()
      for (number, state) in life.states.enumerated() {
        let past = try life.store.snapshot(at: CommitNumber(rawValue: UInt64(number)))
        let counted = try past.plain()
        #expect(counted == state, "seed \(seed), commit \(number)")
        stateCount += 1
      }
      let objects = Set(life.states.flatMap(\.keys))
      for object in objects {
        for (number, state) in life.states.enumerated() {
          let stored = try life.store.stored(object, at: CommitNumber(rawValue: UInt64(number)))
          #expect(stored?.row == state[object], "seed \(seed), commit \(number)")
        }
      }
      try life.store.close()
    }
    #expect(stateCount > campaign.count * 10)
  }
}
