import Foundation
import Testing

@testable import NetKit

struct NetKitErrorTests {
    private struct Beneath: Error, Equatable {
        let number: Int
    }

    private func makeError() -> NetKitError {
        let body = Data("no".utf8)
        let response = NetKitError.Response(status: 503, headers: ["X-A": "1"], body: body, isTruncated: true)
        return NetKitError(
            .server,
            "The server is ill.",
            outcome: .answered,
            cause: Beneath(number: 7),
            timeoutPhase: .idle,
            response: response,
            codingPath: "users[3].name",
            timings: timings
        )
    }

    private var timings: ExchangeTimings {
        var timings = ExchangeTimings()
        timings.connected = .milliseconds(3)
        timings.remoteAddress = "192.0.2.7"
        return timings
    }

    @Test func keepsTheValuesItIsCreatedWith() throws {
        let error = makeError()
        #expect(error.code == .server)
        #expect(error.message == "The server is ill.")
        #expect(error.outcome == .answered)
        #expect(error.cause as? Beneath == Beneath(number: 7))
        #expect(error.timeoutPhase == .idle)
        #expect(error.status == .serviceUnavailable)
        #expect(error.codingPath == "users[3].name")
        #expect(error.timings == timings)
        let response = try #require(error.response)
        #expect(response.headers == ["X-A": "1"])
        #expect(response.body == Data("no".utf8))
        #expect(response.isTruncated)
    }

    @Test(arguments: [-1, Int.min, 0])
    func aLimitBelowZeroKeepsNothingOfTheBody(_ limit: Int) throws {
        let response = try #require(makeError().response)
        #expect(response.excerpt(upTo: limit) == "…")
        #expect(response.truncated(to: limit).body.isEmpty)
    }

    @Test func isNotSentByDefault() {
        let error = NetKitError(.connect, "No.")
        #expect(error.outcome == .notSent)
        #expect(error.attempts == 0)
        #expect(error.requestLine == nil)
        #expect(error.cause == nil)
        #expect(error.timeoutPhase == nil)
        #expect(error.response == nil)
        #expect(error.status == nil)
        #expect(error.codingPath == nil)
        #expect(error.timings == nil)
    }

    @Test func doesNotDescribeItsTimings() {
        #expect(!makeError().description.contains("192.0.2.7"))
    }

    @Test func takesTheRequestLineAndTheAttemptsOfTheBoundary() {
        let error = makeError().attaching(requestLine: "GET https://a/", attempts: 2)
        #expect(error.requestLine == "GET https://a/")
        #expect(error.attempts == 2)
        expectTheRest(of: error)
    }

    @Test func keepsTheValuesThatAnInnerBoundaryAttached() {
        let inner = makeError().attaching(requestLine: "GET https://inner/", attempts: 3)
        let outer = inner.attaching(requestLine: "POST https://outer/", attempts: 9)
        #expect(outer.requestLine == "GET https://inner/")
        #expect(outer.attempts == 3)
    }

    @Test func takesTheAttemptsIfTheInnerBoundaryHadNone() {
        let inner = makeError().attaching(requestLine: "GET https://inner/", attempts: 0)
        let outer = inner.attaching(requestLine: "POST https://outer/", attempts: 9)
        #expect(outer.requestLine == "GET https://inner/")
        #expect(outer.attempts == 9)
    }

    @Test func changesItsOutcomeOnly() {
        let error = makeError().attaching(requestLine: "GET https://a/", attempts: 2)
        let changed = error.with(outcome: .unknown)
        #expect(changed.outcome == .unknown)
        #expect(error.outcome == .answered)
        #expect(changed.requestLine == "GET https://a/")
        #expect(changed.attempts == 2)
        expectTheRest(of: changed)
    }

    private func expectTheRest(of error: NetKitError) {
        #expect(error.code == .server)
        #expect(error.message == "The server is ill.")
        #expect(error.cause as? Beneath == Beneath(number: 7))
        #expect(error.timeoutPhase == .idle)
        #expect(error.status == .serviceUnavailable)
        #expect(error.response?.isTruncated == true)
        #expect(error.codingPath == "users[3].name")
        #expect(error.timings == timings)
    }

    @Test(
        arguments: [
            (.invalidURL, "invalidURL"), (.invalidRequest, "invalidRequest"),
            (.invalidConfiguration, "invalidConfiguration"),
            (.timeout, "timeout"), (.offline, "offline"), (.dns, "dns"), (.connect, "connect"), (.proxy, "proxy"),
            (.tls, "tls"),
            (.connectionLost, "connectionLost"), (.server, "server"), (.decoding, "decoding"), (.encoding, "encoding"),
            (.bodyTooLarge, "bodyTooLarge"), (.bodyConsumed, "bodyConsumed"), (.file, "file"),
            (.cacheMiss, "cacheMiss"),
            (.conflict, "conflict"), (.circuitOpen, "circuitOpen"), (.rateLimited, "rateLimited"),
            (.unauthorized, "unauthorized"), (.invalidResponse, "invalidResponse"), (.redirect, "redirect"),
            (.addressRefused, "addressRefused"), (.queueFull, "queueFull"), (.queueLocked, "queueLocked"),
            (.queued, "queued"), (.storeUnavailable, "storeUnavailable"), (.closed, "closed"), (.noStub, "noStub"),
            (.unsupported, "unsupported"), (.custom, "custom"),
        ] as [(NetKitError.Code, String)]
    )
    func namesItsCodesForMetrics(_ code: NetKitError.Code, _ name: String) {
        #expect(code.description == name)
        #expect(Set([code, .timeout]).count == (code == .timeout ? 1 : 2))
    }

    @Test(
        arguments: [
            (.notSent, "not sent"), (.unknown, "outcome unknown"), (.answered, "answered"),
        ] as [(NetKitError.Outcome, String)]
    )
    func namesItsOutcomes(_ outcome: NetKitError.Outcome, _ name: String) {
        #expect(outcome.description == name)
    }

    @Test(
        arguments: [
            (.connect, "connect"), (.firstByte, "firstByte"), (.idle, "idle"), (.attempt, "attempt"),
            (.deadline, "deadline"), (.queue, "queue"),
        ] as [(NetKitError.TimeoutPhase, String)]
    )
    func namesItsPhases(_ phase: NetKitError.TimeoutPhase, _ name: String) {
        #expect(phase.description == name)
    }

    @Test func isSmall() {
        #expect(MemoryLayout<NetKitError>.size <= 24)
    }

    @Test(arguments: [
        (NetKitError(.timeout, "Late.") as any Error, "timeout"), (NetKitError(.dns, "Unknown."), "another"),
        (CancellationError(), "another"),
    ])
    func aCatchMayNameTheCode(_ thrown: any Error, _ expected: String) {
        let caught: String
        do {
            throw thrown
        } catch NetKitError.Code.timeout {
            caught = "timeout"
        } catch {
            caught = "another"
        }
        #expect(caught == expected)
    }
}
