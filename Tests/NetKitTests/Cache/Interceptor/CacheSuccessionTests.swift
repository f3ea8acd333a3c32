import Foundation
import NetKitTesting
import Testing

@testable import NetKit

/// Tests that a replaced response does not come back, even if its successor is not stored.
@Suite(.timeLimit(.minutes(5)))
struct CacheSuccessionTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private static let fresh: HTTPHeaders = ["Cache-Control": "max-age=600"]

    enum Successor: String, CaseIterable, Sendable {
        case noStore, unauthorized, forbidden, varyStar, noCache, tooLarge, tooLargeInPieces, endlessFields

        var response: HTTPResponse {
            switch self {
            case .noStore: .text("2", ["Cache-Control": "no-store"])
            case .unauthorized: .text("2", status: .unauthorized)
            case .forbidden: .text("2", status: .forbidden)
            case .varyStar: .text("2", ["Cache-Control": "max-age=600", "Vary": "*"])
            case .noCache: .text("2", ["Cache-Control": "no-cache"])
            case .tooLarge: .text(String(repeating: "2", count: 60_000), fresh)
            case .tooLargeInPieces:
                HTTPResponse(
                    status: .ok,
                    headers: fresh,
                    body: ResponseBody(
                        source: Pieces((0..<60).map { _ in Data(repeating: UInt8(ascii: "2"), count: 1000) })
                    )
                )
            case .endlessFields:
                .text("2", ["Cache-Control": "max-age=600", "X-Long": String(repeating: "a", count: 300_000)])
            }
        }
    }

    @Test(arguments: Successor.allCases, CacheInvalidationTests.Kind.allCases)
    func aResponseThatIsNotStoredRemovesTheOlderOne(
        successor: Successor,
        kind: CacheInvalidationTests.Kind
    ) async throws {
        let disk = DiskCacheStore(directory: folder.url, maxBytes: 100_000)
        let memory = MemoryCacheStore(maxBytes: 100_000)
        let store: any CacheStore =
            switch kind {
            case .memory: memory
            case .disk: disk
            case .tiered: TieredCacheStore(memory: memory, disk: disk)
            case .custom: AnyCacheStore(memory)
            case .tieredCustom:
                TieredCacheStore(memory: memory, store: AnyCacheStore(MemoryCacheStore(maxBytes: memory.maxBytes)))
            }
        func opened(_ store: some CacheStore) -> CachedClient { CachedClient(store) }
        let it = opened(store)
        it.respond { number, _ in number == 2 ? successor.response : .text("\(number)", Self.fresh) }
        #expect(try await it.get().text == "1")
        let second = try await it.get(policy: .reload, isStreamed: true)
        #expect(second.text.hasPrefix("2"))
        let storing = successor == .tooLargeInPieces ? "; detail=\"being stored\"" : ""
        let status = "NetKit; fwd=request; fwd-status=\(second.response.status.code)"
        #expect(second.response.headers["Cache-Status"] == status + storing)
        #expect(try await it.get().text == "3")
        #expect(await it.cache.statistics.writes == 2)
    }

    /// A part of a response, or an error that the stored response can stand in for, does not invalidate it.
    @Test(arguments: [HTTPStatus.partialContent, 500, 502, 503, 504])
    func aResponseThatDoesNotReplaceTheEntryLeavesIt(status: HTTPStatus) async throws {
        let it = CachedClient()
        it.respond { number, _ in
            number == 2 ? .text("2", status: status) : .text("\(number)", ["Cache-Control": "max-age=600"])
        }
        _ = try await it.get()
        #expect(try await it.get(policy: .reload).text == "2")
        #expect(try await it.get().text == "1")
    }

    @Test func aVariantThatIsNotStoredRemovesOnlyItsOwnPredecessor() async throws {
        let it = CachedClient()
        it.respond { number, request in
            let accept = request.headers["Accept"] ?? ""
            let control = number == 3 ? "no-store" : "max-age=600"
            return .text("\(number) \(accept)", ["Cache-Control": control, "Vary": "Accept"])
        }
        for accept in ["a", "b"] { _ = try await it.get("/x", ["Accept": accept]) }
        #expect(try await it.get("/x", ["Accept": "a"], policy: .reload).text == "3 a")
        #expect(try await it.get("/x", ["Accept": "a"]).text == "4 a")
        #expect(try await it.get("/x", ["Accept": "b"]).text == "2 b")
    }

    /// Of two exchanges, the result of the later one counts, whichever ends first.
    @Test(arguments: CacheInvalidationTests.Kind.allCases, [false, true])
    func aSlowResponseDoesNotReplaceTheOneOfALaterExchange(
        kind: CacheInvalidationTests.Kind,
        isKept: Bool
    ) async throws {
        let store = kind.make(in: folder)
        func opened(_ store: some CacheStore) -> CachedClient { CachedClient(store) }
        let (one, other) = (opened(store), opened(store))
        one.transport.stub(.get, "/x", .text("old").header("Cache-Control", "max-age=600").delayed(by: .seconds(5)))
        let late = isKept ? "max-age=600" : "no-store"
        other.respond { number, _ in .text("new \(number)", ["Cache-Control": number == 1 ? late : "max-age=600"]) }
        let read = Task { try await one.get("/x").text }
        await one.time.waitForSleepers(1)
        #expect(try await other.get("/x").text == "new 1")
        one.time.advance(by: .seconds(5))
        #expect(try await read.value == "old")
        #expect(try await other.get("/x").text == (isKept ? "new 1" : "new 2"))
    }

    @Test func concurrentExchangesLeaveOneResponseStored() async throws {
        let store = MemoryCacheStore()
        let (one, other) = (CachedClient(store), CachedClient(store))
        for it in [one, other] {
            it.transport.stub(.get, "/x", .text("a").header("Cache-Control", "max-age=600").delayed(by: .seconds(5)))
        }
        let reads = [one, other].map { it in Task { try await it.get("/x").text } }
        for it in [one, other] {
            await it.time.waitForSleepers(1)
        }
        one.time.advance(by: .seconds(5))
        _ = try await reads[0].value
        other.time.advance(by: .seconds(5))
        _ = try await reads[1].value
        #expect(store.statistics.entryCount == 1)
    }

    @Test func aResponseThatIsStillBeingStoredIsNotReportedAsStored() async throws {
        let it = CachedClient()
        it.transport.stub(.get, "/known", .text("abc").header("Cache-Control", "max-age=600"))
        it.transport.stub(.get, "/unknown", .stream([Data("abc".utf8)]).header("Cache-Control", "max-age=600"))
        let buffered = try await it.get("/known")
        #expect(buffered.response.headers["Cache-Status"] == "NetKit; fwd=uri-miss; fwd-status=200; stored")
        let streamed = try await it.get("/unknown", isStreamed: true)
        let status = "NetKit; fwd=uri-miss; fwd-status=200; detail=\"being stored\""
        #expect(streamed.response.headers["Cache-Status"] == status)
        #expect(try await it.get("/unknown").response.headers["Cache-Status"] == "NetKit; hit; ttl=600")
    }
}

/// A body in pieces, of unknown length.
private struct Pieces: ResponseBodySource {
    private let rest: Shared<[Data]>

    init(_ pieces: [Data]) { rest = Shared(pieces) }

    var trailers: HTTPHeaders? { nil }

    func next() async throws -> Data? {
        rest.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    func cancel(_ reason: any Error) {}
}
