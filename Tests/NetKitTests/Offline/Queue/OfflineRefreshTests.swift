import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests of a queue whose client has to refresh its token first.
@Suite(.timeLimit(.minutes(5)))
struct OfflineRefreshTests {
    /// After a refused refresh, the entries stay and are sent after the next login.
    @Test(arguments: [400, 401, 403] as [HTTPStatus])
    func entriesWaitForTheNextLogin(refusal: HTTPStatus) async throws {
        let transport = MockTransport()
        transport.stub(.post, "/orders", .status(401), .status(201))
        transport.stub(.post, "/token", .status(refusal))
        let plain = HTTPClient.testing(transport)
        let tokens = TokenStore(
            initial: AccessToken("expired"),
            identity: "ada",
            clock: TestClock().clock,
            refresh: { _ in
                let login: JSONValue = try await plain.send(.post("/token"))
                return AccessToken(login["token"]?.string ?? "")
            }
        )
        let client = HTTPClient.testing(transport, AuthInterceptor(tokens, origins: .any))
        let queue = try await OfflineQueue.testing(nil)
        let events = queue.events
        await queue.attach(client)
        for _ in 0..<3 { try await queue.enqueue(QueuedRequest(HTTPRequest(.post, "/orders"), lane: "orders")) }
        _ = try #require(await events.first(.lanePaused))
        #expect(await queue.pendingCount == 3)
        #expect(await queue.deadLetterCount == 0)
        await tokens.set(AccessToken("renewed"), identity: "ada")
        await queue.resumeUnauthorizedLanes()
        await events.wait(3, .delivered)
        #expect(transport.requests.filter { $0.url.path().hasSuffix("/orders") }.count == 4)
    }

    /// The attempt has sent the old credential, whose refusal arrives after the new one.
    @Test func aCredentialThatComesDuringAnAttemptIsTried() async throws {
        let (began, goOn, isRenewed) = (Promise<Void>(), Promise<Void>(), Flag())
        let sender = ScriptedSender { _ in
            if isRenewed.isSet { return HTTPResponse(status: 204) }
            began.resolve(.success(()))
            try await goOn.value()
            return HTTPResponse(status: 401)
        }
        let queue = try await OfflineQueue.testing(sender)
        let events = queue.events
        try await queue.enqueue(.post("/1"))
        try await began.value()
        isRenewed.set()
        await queue.resumeUnauthorizedLanes()
        goOn.resolve(.success(()))
        let event = try #require(await events.first { $0.kind == .lanePaused || $0.kind == .delivered })
        #expect(event.kind == .delivered)
        #expect(sender.paths == ["/1", "/1"])
        await queue.close()
    }

    /// Each attempt renews the credential, and the server refuses the new one as well.
    @Test func renewedCredentialsThatAreRefusedPauseTheLane() async throws {
        let time = TestClock()
        let queue = try await OfflineQueue.testing(nil, time)
        let sender = ScriptedSender { _, number in
            await queue.resumeUnauthorizedLanes()
            return HTTPResponse(status: number < 20 ? 401 : 204)
        }
        try await queue.enqueue(.post("/1", lane: "a"))
        await queue.attach(sender)
        await queue.processQueue()
        #expect(sender.paths.count == 4)
        #expect(await queue.pausedLanes == ["a"])
        time.advance(by: queue.configuration.unauthorizedPause)
        await queue.processQueue()
        #expect(sender.paths.count == 8)
        #expect(await queue.pausedLanes == ["a"])
        await queue.close()
    }

    private struct ServiceFailure: Error {}

    /// The refresh may use another client, whose errors say as little about the entry.
    @Test(
        arguments: [NetKitError(.connect, "No route."), URLError(.timedOut), ServiceFailure()] as [any Error]
    )
    func aRefreshThatFailsCostsNoAttempt(failure: any Error) async throws {
        let transport = MockTransport()
        transport.stub(.post, "/orders", .status(401))
        let tokens = TokenStore(
            initial: AccessToken("expired"),
            identity: "ada",
            clock: TestClock().clock,
            refresh: { _ in throw failure }
        )
        let client = HTTPClient.testing(transport, AuthInterceptor(tokens, origins: .any))
        let queue = try await OfflineQueue.testing(nil)
        let events = queue.events
        await queue.attach(client)
        try await queue.enqueue(QueuedRequest(HTTPRequest(.post, "/orders"), lane: "orders", maxAttempts: 1))
        let event = try #require(await events.first { $0.kind == .postponed || $0.kind == .deadLettered })
        #expect(event.kind == .postponed)
        #expect(await queue.deadLetterCount == 0)
    }
}
