import NetKit
import NetKitTesting
import Testing

struct SeededRandomTests {
    /// The first numbers of SplitMix64 for seed 0, from its authors' reference.
    @Test func isSplitMix64() {
        let random = RandomSource.seeded(0)
        #expect(
            [random.next(), random.next(), random.next()] == [
                0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F,
            ]
        )
    }

    @Test(arguments: [0, 1, 42, .max] as [UInt64])
    func theSameSeedGivesTheSameNumbers(seed: UInt64) {
        let (first, second) = (RandomSource.seeded(seed), RandomSource.seeded(seed))
        #expect((0..<100).map { _ in first.next() } == (0..<100).map { _ in second.next() })
    }

    @Test func differentSeedsGiveDifferentNumbers() {
        #expect(Set((0..<1000).map { RandomSource.seeded($0).next() }).count == 1000)
    }

    @Test func copiesShareOneSequence() {
        let first = RandomSource.seeded(0)
        let second = first
        #expect(first.next() == 0xE220_A839_7B1D_CDAF)
        #expect(second.next() == 0x6E78_9E6A_A1B9_65F4)
    }

    @Test func shufflesTheSameWayEachTime() {
        var (first, second) = (RandomSource.seeded(7), RandomSource.seeded(7))
        let numbers = Array(0..<50)
        let shuffled = numbers.shuffled(using: &first)
        #expect(shuffled == numbers.shuffled(using: &second))
        #expect(shuffled != numbers)
    }

    @Test func manyTasksDrawEachNumberOnce() async {
        let random = RandomSource.seeded(3)
        let drawn = await withTaskGroup(of: [UInt64].self) { group in
            for _ in 0..<8 { group.addTask { (0..<500).map { _ in random.next() } } }
            return await group.reduce(into: Set<UInt64>()) { $0.formUnion($1) }
        }
        let alone = RandomSource.seeded(3)
        #expect(drawn == Set((0..<4000).map { _ in alone.next() }))
    }
}
