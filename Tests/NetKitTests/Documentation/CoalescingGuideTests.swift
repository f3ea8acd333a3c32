import NetKit
import NetKitTestSupport
import Testing

/// The example of the page on coalescing, compiled.
@Suite(.needsTheMachine)
struct CoalescingGuideTests {
    @Test func theListMakesSense() {
        let base = exampleBase
        // GUIDE: begin
        let client = HTTPClient(baseURL: base, interceptors: .standard + [CoalesceInterceptor()])
        // GUIDE: end
        #expect(client.warnings == [])
    }

    @Test func thePageShowsThisCode() throws {
        #expect(try GuidePage("Coalescing").shows(#filePath))
    }
}
