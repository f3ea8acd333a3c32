import Foundation
import NetKitTesting
import Testing

@testable import NetKit

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5)))
struct OfflineInterceptorTests {
    private func send(
        _ queue: OfflineQueue,
        failing error: NetKitError,
        headers: HTTPHeaders = HTTPHeaders(),
        _ deferrable: Deferrable? = Deferrable(lane: "orders")
    ) async throws -> HTTPResponse {
        let transport = MockTransport { _, _ in throw error }
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue))
        var options = CallOptions()
        options.tags[Deferrable.self] = deferrable
        return try await client.send(
            HTTPRequest(.post, "/orders", headers: headers, body: .text("1")),
            options: options
        )
    }

    @Test func anUnsentRequestIsQueuedAndItsErrorHasTheReceipt() async throws {
        let queue = try await OfflineQueue.testing(nil)
        do {
            _ = try await send(queue, failing: NetKitError(.connect, "refused"))
            Issue.record("it was sent")
        } catch let error as NetKitError {
            #expect(error.code == .queued)
            let entry = try #require(await queue.pending.first)
            #expect(error.receipt?.id == entry.id)
            #expect(error.receipt?.idempotencyKey == entry.idempotencyKey)
            #expect(entry.lane == "orders")
            #expect(entry.body?.bytes == Data("1".utf8))
            #expect(entry.endpoint.hasSuffix("/orders"))
        }
    }

    /// Its lane may have entries, which the call must not overtake.
    @Test func aCallIsQueuedWhileTheStoreCannotBeRead() async throws {
        let store = InterruptedStore(InMemorySharedOfflineStore().replica())
        let queue = try await OfflineQueue.testing(nil, store: store)
        store.fail(.browse)
        let transport = MockTransport { _, _ in HTTPResponse(status: 204) }
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue))
        let options = CallOptions.deferrable("orders")
        let request = HTTPRequest(.post, "/orders", body: .text("1"))
        #expect(await thrownCode { try await client.send(request, options: options) } == .queued)
        #expect(transport.requests.isEmpty)
        await queue.close()
    }

    @Test func itWarnsAboutAnOrderInWhichCallsAreNotQueued() async throws {
        let offline = try await OfflineInterceptor(OfflineQueue.testing(nil))
        let connectivity = ConnectivityInterceptor(ManualNetworkMonitor())
        func warnings(_ interceptors: any Interceptor...) -> [String] {
            HTTPClient(transport: MockTransport(), interceptors: InterceptorList(interceptors)).warnings
        }
        #expect(warnings(offline, connectivity) == [])
        let named = warnings(connectivity, offline)
        #expect(named.count == 1)
        #expect(named.first?.hasPrefix("ConnectivityInterceptor comes before OfflineInterceptor in the list") == true)
        #expect(warnings(offline, offline).first?.hasPrefix("OfflineInterceptor is in the list 2 times") == true)
    }

    @Test func itsSummaryGivesTheTimeInHours() async throws {
        let queue = try await OfflineQueue.testing(nil)
        #expect(OfflineInterceptor(queue).summary.hasSuffix("attempts and 24 h"))
    }

    @Test func anUnknownOutcomeIsQueuedOnlyWithItsKey() async throws {
        let queue = try await OfflineQueue.testing(nil)
        let lost = NetKitError(.connectionLost, "lost", outcome: .unknown)
        for headers in [[:], ["Idempotency-Key": ""]] as [HTTPHeaders] {
            #expect(await thrownCode { try await send(queue, failing: lost, headers: headers) } == .connectionLost)
        }
        #expect(await queue.pendingCount == 0)
        #expect(await thrownCode { try await send(queue, failing: lost, headers: ["Idempotency-Key": "k"]) } == .queued)
        #expect(await queue.pending.map(\.idempotencyKey) == ["k"])
    }

    /// The exchange before a redirect was carried out, so the request must not go again.
    @Test func anErrorAfterARedirectIsNotUnsent() async throws {
        let queue = try await OfflineQueue.testing(nil)
        let transport = MockTransport { request, _ in
            guard request.method == .post else { throw NetKitError(.connect, "refused") }
            return HTTPResponse(status: .seeOther, headers: ["Location": "/orders/1"])
        }
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue))
        let options = CallOptions.deferrable("orders")
        let error = await #expect(throws: NetKitError.self) {
            try await client.send(HTTPRequest(.post, "/orders", body: .text("1")), options: options)
        }
        #expect(error?.code == .connect)
        #expect(error?.outcome == .unknown)
        #expect(await queue.pendingCount == 0)
    }

    @Test func anUnknownOutcomeStaysUnknownIfTheQueueIsFull() async throws {
        let queue = try await OfflineQueue.testing(nil) { $0.maxEntries = 0 }
        let lost = NetKitError(.connectionLost, "lost", outcome: .unknown)
        let error = await #expect(throws: NetKitError.self) {
            try await send(queue, failing: lost, headers: ["Idempotency-Key": "k"])
        }
        #expect(error?.code == .queueFull)
        #expect(error?.outcome == .unknown)
        let refused = await #expect(throws: NetKitError.self) {
            try await send(queue, failing: NetKitError(.connect, "refused"))
        }
        #expect(refused?.code == .queueFull)
        #expect(refused?.outcome == .notSent)
    }

    /// A store that adds an entry when a test lets it, even if its caller was cancelled, as a slow disk may do.
    private struct LateStore: StoreWrapper {
        let inner: any OfflineStore = InMemoryOfflineStore()
        let hasBegun = Promise<Void>()
        let goOn = Promise<Void>()

        func append(_ addition: OfflineAddition, within bounds: OfflineBounds) async throws -> OfflineAppendResult {
            hasBegun.resolve(.success(()))
            try await goOn.value()
            return try await inner.append(addition, within: bounds)
        }
    }

    @Test(arguments: [false, true])
    func aCallThatIsEndedWhileItIsQueuedHasItsReceipt(isCancelled: Bool) async throws {
        let time = TestClock()
        let store = LateStore()
        let queue = try await OfflineQueue.testing(nil, time, store: store)
        let transport = MockTransport { _, _ in throw NetKitError(.connect, "refused") }
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue), time: time)
        let options = CallOptions.deferrable("orders", timeout: .seconds(1))
        let call = Task {
            try await client.send(HTTPRequest(.post, "/orders", body: .text("1")), options: options)
        }
        try await store.hasBegun.value()
        if isCancelled { call.cancel() } else { time.advance(by: .seconds(1)) }
        store.goOn.resolve(.success(()))
        let error = await #expect(throws: NetKitError.self) { try await call.value }
        #expect(error?.code == .queued)
        let entries = await queue.entries
        #expect(entries.count == 1)
        #expect(entries.first?.id == error?.receipt?.id)
        await queue.close()
    }

    /// A network that swallows everything ends calls by their deadlines.
    @Test(arguments: [false, true])
    func aCallIsQueuedIfItsDeadlineEndsItAndNotIfItIsCancelled(isCancelled: Bool) async throws {
        let time = TestClock()
        let isConnecting = Promise<Void>()
        let queue = try await OfflineQueue.testing(nil)
        let transport = MockTransport { _, context in
            context.attempt.noteConnecting()
            isConnecting.resolve(.success(()))
            try await Promise<Void>().cancellableValue()
            return HTTPResponse(status: 204)
        }
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue), time: time)
        let options = CallOptions.deferrable("orders", timeout: .seconds(3))
        let call = Task {
            try await client.send(HTTPRequest(.post, "/orders", body: .text("1")), options: options)
        }
        try await isConnecting.value()
        if isCancelled {
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        } else {
            time.advance(by: .seconds(3))
            let error = await #expect(throws: NetKitError.self) { try await call.value }
            #expect(error?.code == .queued)
            let failure = (error?.cause as? QueuedCall)?.failure
            #expect(failure?.timeoutPhase == .deadline)
            #expect(failure?.outcome == .notSent)
        }
        #expect(await queue.pendingCount == (isCancelled ? 0 : 1))
    }

    @Test func aCallIsQueuedIfItsDeadlineEndsItsWaitForANetwork() async throws {
        let time = TestClock()
        let queue = try await OfflineQueue.testing(nil)
        let transport = MockTransport()
        let waiting = ConnectivityInterceptor(ManualNetworkMonitor(isConnected: false), .wait(upTo: .seconds(30)))
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue), waiting, time: time)
        let options = CallOptions.deferrable("orders", timeout: .seconds(1))
        let call = Task {
            try await client.send(HTTPRequest(.post, "/orders", body: .text("1")), options: options)
        }
        // Those of the deadline and of the wait.
        await time.waitForAlarms(2)
        time.advance(by: .seconds(1))
        let error = await #expect(throws: NetKitError.self) { try await call.value }
        #expect(error?.code == .queued)
        #expect(await queue.pendingCount == 1)
        #expect(transport.requests.isEmpty)
    }

    /// Each policy that can refuse a call counts the same, and a replay waits for each of them.
    @Test(arguments: [NetKitError.Code.circuitOpen, .rateLimited, .queueFull])
    func aCallThatThisClientRefusesIsQueued(code: NetKitError.Code) async throws {
        let queue = try await OfflineQueue.testing(nil)
        #expect(await thrownCode { try await send(queue, failing: NetKitError(code, "refused")) } == .queued)
        #expect(await queue.pendingCount == 1)
    }

    /// A replay waits for the server of the tokens, or for their vault, which say nothing about the request.
    @Test(
        arguments: [
            (.server, .serviceUnavailable, .queued), (.server, .badRequest, .server), (.storeUnavailable, nil, .queued),
        ] as [(NetKitError.Code, HTTPStatus?, NetKitError.Code)]
    )
    func aCallWhoseTokenCannotBeFetchedNowIsQueued(
        failureCode: NetKitError.Code,
        status: HTTPStatus?,
        code: NetKitError.Code
    ) async throws {
        let queue = try await OfflineQueue.testing(nil)
        let response = status.map { NetKitError.Response(status: $0, headers: HTTPHeaders(), body: Data()) }
        let failure = NetKitError(failureCode, "no token", outcome: .answered, response: response)
        let transport = MockTransport()
        let auth = AuthInterceptor(identity: "ada") { throw failure }
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue), auth)
        let options = CallOptions.deferrable("orders")
        let request = HTTPRequest(.post, "/orders", body: .text("1"))
        #expect(await thrownCode { try await client.send(request, options: options) } == code)
        #expect(await queue.pendingCount == (code == .queued ? 1 : 0))
        #expect(transport.requests.isEmpty)
    }

    @Test func onlyUnsentDeferrableRequestsAreQueued() async throws {
        let queue = try await OfflineQueue.testing(nil)
        #expect(await thrownCode { try await send(queue, failing: NetKitError(.connect, ""), nil) } == .connect)
        #expect(
            await thrownCode { try await send(queue, failing: NetKitError(.invalidRequest, "")) } == .invalidRequest
        )
        let answered = NetKitError(.invalidResponse, "", outcome: .answered)
        #expect(await thrownCode { try await send(queue, failing: answered) } == .invalidResponse)
        #expect(await queue.pendingCount == 0)
    }

    /// A failure of TLS may be an attack, so the caller has to see it.
    @Test func onlyAFailureThatMayPassIsQueued() {
        func isQueued(_ code: NetKitError.Code) -> Bool {
            let request = HTTPRequest(.post, "/orders", body: .text("1"))
            return OfflineInterceptor.mayQueue(request, after: NetKitError(code, "x"))
        }
        for code in [.offline, .dns, .connect, .proxy, .timeout, .invalidResponse] as [NetKitError.Code] {
            #expect(isQueued(code))
        }
        for code in [.tls, .server, .redirect, .file, .encoding, .unauthorized, .custom] as [NetKitError.Code] {
            #expect(!isQueued(code))
        }
    }

    @Test func anEntryHasTheOptionsOfItsMark() async throws {
        let time = TestClock()
        let queue = try await OfflineQueue.testing(nil, time)
        let transport = MockTransport { _, _ in throw NetKitError(.connect, "refused") }
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue), time: time)
        var options = CallOptions()
        options.tags[Deferrable.self] = Deferrable(
            lane: "notes",
            priority: 3,
            expiresAfter: .seconds(60),
            maxAttempts: 7,
            coalescingKey: "note-7",
            coalescing: .keep
        )
        let request = HTTPRequest(.put, "/notes/7", body: .text("1"))
        for _ in 0..<2 { #expect(await thrownCode { try await client.send(request, options: options) } == .queued) }
        let entries = await queue.pending
        #expect(entries.map(\.lane) == ["notes"] && entries.map(\.priority) == [3])
        #expect(entries.map(\.timestamp) == [time.date])
        #expect(entries.map(\.expiresAt) == [time.date.addingTimeInterval(60)])
        #expect(entries.map(\.maxAttempts) == [7] && entries.map(\.coalescingKey) == ["note-7"])
        await queue.close()
    }

    /// An edit of an old version must not overwrite a newer one, whether there is a network or not.
    @Test(arguments: [nil, "\"own\""] as [String?])
    func theVersionIsComparedByTheCallItself(condition: String?) async throws {
        let queue = try await OfflineQueue.testing(nil)
        let transport = MockTransport()
        transport.stub(.put, "/notes/7", .status(412), .failure(NetKitError(.connect, "refused")))
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue))
        var options = CallOptions()
        options.tags[Deferrable.self] = Deferrable(baseETag: "\"v1\"")
        var request = HTTPRequest(.put, "/notes/7", body: .text("1"))
        request.headers["If-Match"] = condition
        #expect(try await client.send(request, options: options).status == 412)
        #expect(await queue.pendingCount == 0)
        #expect(await thrownCode { try await client.send(request, options: options) } == .queued)
        let expected = condition ?? "\"v1\""
        #expect(transport.requests.map { $0.headers["If-Match"] } == [expected, expected])
        let entry = try #require(await queue.pending.first)
        #expect(entry.headers["If-Match"] == condition)
        #expect(entry.sentHeaders["If-Match"] == expected)
    }

    @Test func aVersionWithoutQuotesIsNotSent() async throws {
        let transport = MockTransport()
        let client = HTTPClient.testing(transport, OfflineInterceptor(try await OfflineQueue.testing(nil)))
        var options = CallOptions()
        options.tags[Deferrable.self] = Deferrable(baseETag: "v1")
        let request = HTTPRequest(.put, "/notes/7")
        #expect(await thrownCode { try await client.send(request, options: options) } == .invalidRequest)
        #expect(transport.requests.isEmpty)
    }

    /// A stream that starts again can be sent again, but not be kept on disk.
    @Test func aCallWhoseBodyCannotBeKeptHasItsOwnError() async throws {
        let queue = try await OfflineQueue.testing(nil)
        let transport = MockTransport { _, _ in throw NetKitError(.connect, "refused") }
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue))
        let options = CallOptions.deferrable("orders")
        let stream = HTTPBody.replayableStream { AsyncStream<Data> { $0.finish() } }
        let bodies = [stream, HTTPBody(storage: .joined([.text("1"), stream]))]
        for count in 0...1 {
            // It does not wait for its lane either.
            if count == 1 { try await queue.enqueue(.post("/earlier", lane: "orders")) }
            for body in bodies {
                let request = HTTPRequest(.post, "/orders", body: body)
                #expect(await thrownCode { try await client.send(request, options: options) } == .connect)
            }
            #expect(await queue.pendingCount == count)
        }
    }

    @Test func noCallOvertakesTheEntriesOfItsLane() async throws {
        let queue = try await OfflineQueue.testing(nil)
        try await queue.enqueue(.post("/first", lane: "orders"))
        let transport = MockTransport()
        transport.stub(.post, "/orders", .status(204))
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue))
        let options = CallOptions.deferrable("orders")
        let request = HTTPRequest(.post, "/orders", body: .text("1"))
        #expect(await thrownCode { try await client.send(request, options: options) } == .queued)
        #expect(transport.requests.isEmpty)
        #expect(try await client.send(request, options: .deferrable("others")).status == 204)
    }

    @Test func nothingOvertakesADeadLetterThatStopsItsLane() async throws {
        let queue = try await OfflineQueue.testing(nil) { $0.lanes["orders"] = LaneOptions(deadLettersBlock: true) }
        let events = queue.events
        let transport = MockTransport()
        transport.stub(nil, "**", .status(400), .status(204))
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue))
        try await queue.enqueue(.post("/first", lane: "orders"))
        await queue.attach(client)
        _ = await events.first(.deadLettered)
        let options = CallOptions.deferrable("orders")
        let request = HTTPRequest(.post, "/orders", body: .text("1"))
        #expect(await thrownCode { try await client.send(request, options: options) } == .queued)
        #expect(transport.requests.count == 1)
        await queue.close()
    }

    @Test func aReplayIsNotQueuedAgain() async throws {
        let transport = MockTransport { _, _ in throw NetKitError(.connect, "refused") }
        let queue = try await OfflineQueue.testing(nil)
        let client = HTTPClient.testing(transport, OfflineInterceptor(queue))
        let events = queue.events
        try await queue.enqueue(.post("/orders", lane: "orders"))
        await queue.attach(client)
        _ = await events.first(.postponed)
        #expect(await queue.pendingCount == 1)
        await queue.close()
    }

    /// Changes the body of a response, for which it needs the whole body.
    private struct Unwrap: ResponseInterceptor {
        func intercept(_ response: HTTPURLResponse, data: Data) async throws -> Data { data.dropFirst() }
    }

    /// No caller reads the body of a replay, which is streamed.
    @Test func theResponseToAReplayPassesAResponseInterceptor() async throws {
        let transport = MockTransport()
        transport.stub(.post, "/orders", .text("<ok>", status: 201))
        let queue = try await OfflineQueue.testing(nil)
        let client = HTTPClient.testing(transport, Unwrap(), OfflineInterceptor(queue))
        let events = queue.events
        let receipt = try await queue.enqueue(.post("/orders", lane: "orders"))
        await queue.attach(client)
        await queue.processQueue()
        #expect(await queue.deadLetters.map(\.message) == [])
        #expect(await queue.entries.isEmpty)
        await queue.close()
        let event = await events.first(.delivered)
        #expect(event?.id == receipt.id)
        #expect(event?.response?.body == Data("<ok>".utf8))
    }
}
