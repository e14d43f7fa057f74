import StrandlineModels
import Testing

@Suite struct HybridClockTests {
  @Test func `stamps rise while the wall clock stands still or steps back`() {
    var clock = HybridClock(salt: 7)
    var last = Stamp.unset
    for now: Int64 in [1000, 1000, 1000, 999, 5, 1001] {
      let stamp = clock.mint(now: now)
      #expect(stamp > last)
      last = stamp
    }
  }

  @Test func `a minted stamp is greater than an observed one`() {
    var clock = HybridClock(salt: 0)
    let foreign = Stamp(milliseconds: 5000, counter: 3)

    clock.observe(foreign)

    #expect(clock.mint(now: 10) > foreign)
  }
}
