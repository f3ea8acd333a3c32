import Foundation
import Testing

@testable import NetKit

struct CacheRoundTests {
    @Test(
        arguments: [
            (.first(endedExchanges: 3), 3, true), (.second, nil, true), (.again, nil, false), (.last, nil, false),
        ] as [(CacheRound, UInt64?, Bool)]
    )
    func aReadLooksAgainOnceAndCountsOneMiss(round: CacheRound, endedExchanges: UInt64?, countsMiss: Bool) {
        #expect(round.endedExchanges == endedExchanges)
        #expect(round.countsMiss == countsMiss)
    }

    @Test func theEndOfAnotherExchangeDecidesAboutTheNextRound() throws {
        let response = StoredResponse.test([:])
        let record = CacheRecord(head: CacheHead(.response(response)), body: .data(Data()))
        let key = CacheKey(["a"], secret: MemoryCacheStore().secret)
        let found = CacheCall.StoredMatch(key: key, record: record, response: response)
        let landings: [(CacheFlight.Landing, CacheRound)] = [
            (.response(found, varyingBy: CacheFlight.VaryingFields(names: [], headers: [:])), .last),
            (.unusable(isLasting: true), .last),
            (.unusable(isLasting: false), .last),
            (.serverFailure(503), .last),
            (.abandoned, .again),
        ]
        for (landing, round) in landings { #expect(try CacheRound(after: landing) == round) }
        let error = #expect(throws: NetKitError.self) {
            try CacheRound(after: .failure(NetKitError(.offline, "Offline.")))
        }
        #expect(error?.code == .offline)
    }
}
