import Testing

@testable import netkit_bench

/// Tests of the bounds of a long run.
struct SoakTests {
    @Test(arguments: [
        ([10_000_000, 12_000_000], [9, 9], 0, []), ([10_000_000, 12_100_000], [9, 8], 0, ["memory growth, MB"]),
        ([10_000_000, 9_000_000], [9, 10], 1, ["descriptors more", "failed"]),
        ([], [], 0, ["memory growth, MB", "descriptors more"]),
    ])
    func growthAndFailuresAreMisses(_ memory: [Int], _ descriptors: [Int], _ failures: Int, _ missed: [String]) {
        let result = SoakJob.Result(perSecond: 1, memory: memory, descriptors: descriptors, failures: failures)
        #expect(result.figures(of: "own").filter { !$0.isMet }.map(\.name) == missed.map { "own, \($0)" })
    }
}
