import Testing

@testable import NetKit

struct PlatformTransportTests {
    private struct Named: Transport {
        func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
            HTTPResponse(status: 200)
        }
    }

    private struct Counting: Transport, ConnectionCounting {
        let connectionsInUse = 3

        func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
            HTTPResponse(status: 200)
        }
    }

    /// A transport that forwards to another one as soon as the system has the resources for that.
    private struct Forwarding: TransportForwarding {
        let hasResources = Shared(false)

        var actual: any Transport { hasResources.withLock { $0 } ? Counting() : self }

        func send(_ request: HTTPRequest, context: RequestContext) async throws -> HTTPResponse {
            try await Counting().send(request, context: context)
        }
    }

    @Test func aClientThatWasMadeWithoutDescriptorsReportsItsConnectionsLater() {
        let transport = Forwarding()
        let client = HTTPClient(transport: transport)
        #expect(client.health().connectionsInUse == nil)
        transport.hasResources.withLock { $0 = true }
        #expect(client.health().connectionsInUse == 3)
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

    /// A choice whose preferred transport cannot be made at first.
    private func makeChoice(_ errors: NetKitError...) -> (choice: TransportChoice, reports: Notebook<String>) {
        let (rest, reports) = (Shared(errors), Notebook<String>())
        let choice = TransportChoice { () throws(NetKitError) -> any Transport in
            let error = rest.withLock { $0.isEmpty ? nil : $0.removeFirst() }
            if let error { throw error }
            return Named()
        } report: { error in
            reports.add(error.message)
        }
        return (choice, reports)
    }

    @Test func aLackOfDescriptorsIsNotRemembered() throws {
        let shortage = NetKitError(.connect, "There is no descriptor.", cause: LocalShortage())
        let (choice, reports) = makeChoice(shortage)
        #expect(throws: NetKitError.self) { try choice.transport() }
        #expect(try choice.transport() is Named)
        #expect(reports.entries == [])
    }

    /// Another call makes the transport with the last descriptors, before this one finds none.
    @Test func aCallWithoutDescriptorsUsesTheTransportOfAnother() throws {
        let (isFirst, other) = (Shared(true), Shared<TransportChoice?>(nil))
        let choice = TransportChoice { () throws(NetKitError) -> any Transport in
            let finds = isFirst.withLock { isFirst in
                defer { isFirst = false }
                return !isFirst
            }
            if finds { return Named() }
            _ = try other.withLock { $0 }?.transport()
            throw NetKitError(.connect, "There is no descriptor.", cause: LocalShortage())
        } report: { _ in
        }
        other.withLock { $0 = choice }
        #expect(try choice.transport() is Named)
        other.withLock { $0 = nil }
    }

    @Test func aTransportThatCannotBeUsedIsReplacedForGood() throws {
        let (choice, reports) = makeChoice(NetKitError(.unsupported, "There is no libcurl."))
        for _ in 0..<3 { #expect(try choice.transport() is URLSessionTransport) }
        #expect(reports.entries == ["There is no libcurl."])
    }

    @Test func theSummaryOfATransportIsItsTypeByDefault() {
        #expect(Named().summary == "Named")
    }
}
