import NetKit
import Testing

struct PlatformTransportTests {
    private struct Named: Transport {
        func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
            HTTPResponse(status: 200)
        }
    }

    @Test func isTheDefaultTransportOfAClient() {
        #expect(HTTPClient().pipeline.transport is PlatformTransport)
        #expect(HTTPClient(transport: .platformDefault).pipeline.transport is PlatformTransport)
    }

    @Test func saysWhichTransportItIs() {
        let summary = PlatformTransport.platformDefault.summary
        #expect(summary.hasPrefix("platform default: "))
        #expect(summary.count > "platform default: ".count)
        #expect(HTTPClient().explain().contains("transport  \(summary)"))
    }

    @Test func aTransportIsCalledByItsTypeUnlessSaidOtherwise() {
        #expect(Named().summary == "Named")
    }
}
