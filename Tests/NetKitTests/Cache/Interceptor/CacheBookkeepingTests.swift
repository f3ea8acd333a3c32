import Testing

@testable import NetKit

struct CacheBookkeepingTests {
    private let bookkeeping = CacheBookkeeping()
    private let key = CacheKey(["x"], secret: MemoryCacheStore().secret)

    /// Its task might not have begun yet.
    @Test func everyRenewalIsWaitedForFromItsBeginning() async {
        let notes = Notebook<String>()
        #expect(bookkeeping.beginRefresh(of: key))
        #expect(!bookkeeping.beginRefresh(of: key))
        let wait = startImmediately { [bookkeeping] in
            await bookkeeping.waitForRefreshes()
            notes.add("waited")
        }
        notes.add("ended")
        bookkeeping.endRefresh(of: key)
        _ = await wait.result
        #expect(notes.entries == ["ended", "waited"])
        #expect(bookkeeping.beginRefresh(of: key))
    }
}
