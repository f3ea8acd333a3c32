import NetKit
import Testing

struct FlagTests {
    @Test func isSetOnceAndStays() {
        let flag = Flag()
        #expect(!flag.isSet)
        flag.set()
        flag.set()
        #expect(flag.isSet)
    }
}
