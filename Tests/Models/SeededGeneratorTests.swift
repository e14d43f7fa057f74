import StrandlineModels
import Testing

@Suite struct SeededGeneratorTests {
  @Test func `the numbers of a seed are those that SplitMix64 defines`() {
    var random = SeededGenerator(seed: 1_234_567)

    let numbers = (0..<3).map { _ in random.next() }

    #expect(
      numbers == [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
    )
  }

  @Test func `two seeds give two sequences`() {
    var (one, two) = (SeededGenerator(seed: 1), SeededGenerator(seed: 2))

    #expect(one.next() != two.next())
  }
}
