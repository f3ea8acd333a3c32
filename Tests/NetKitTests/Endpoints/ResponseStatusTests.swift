import Foundation
import Testing

@testable import NetKit

struct ResponseStatusTests {
    private func response(_ status: HTTPStatus, _ body: String = "body") -> HTTPResponse {
        HTTPResponse(status: status, headers: ["X-A": "1"], body: ResponseBody(Data(body.utf8)))
    }

    @Test func anAcceptedStatusLeavesTheBodyUnread() async throws {
        let accepted = try await response(204).checkingStatus(settings: PayloadSettings(maxErrorBodyBytes: 10))
        #expect(accepted.status == 204)
        #expect(!accepted.body.isConsumed)
    }

    @Test func theAcceptedStatusesCanBeChosen() async throws {
        #expect(
            try await response(304).checkingStatus(accepting: .range(200..<400), settings: PayloadSettings()).status
                == 304
        )
        let error = await #expect(throws: NetKitError.self) {
            try await response(200).checkingStatus(accepting: [201], settings: PayloadSettings())
        }
        #expect(error?.status == 200)
    }

    @Test func theErrorKeepsTheTimings() async {
        var timings = ExchangeTimings()
        timings.firstByte = .milliseconds(3)
        let response = HTTPResponse(status: 503, body: .empty, timings: timings)
        let error = await #expect(throws: NetKitError.self) {
            try await response.checkingStatus(settings: PayloadSettings(maxErrorBodyBytes: 0))
        }
        #expect(error?.timings == timings)
    }

    @Test(arguments: [(0, "", true), (3, "bod", true), (4, "body", false), (5, "body", false)])
    func theErrorKeepsTheFirstPartOfTheBody(limit: Int, kept: String, isTruncated: Bool) async throws {
        let error = await #expect(throws: NetKitError.self) {
            try await response(503).checkingStatus(settings: PayloadSettings(maxErrorBodyBytes: limit))
        }
        #expect(error?.code == .server)
        #expect(error?.message == "The server responded with 503 Service Unavailable.")
        #expect(error?.outcome == .answered)
        #expect(error?.response?.headers == ["X-A": "1"])
        #expect(error?.response?.body == Data(kept.utf8))
        #expect(error?.response?.isTruncated == isTruncated)
    }

    @Test(
        arguments: [
            ([200, 404], .range(500..<503), [200, 404, 500, 501, 502], [201, 503]),
            (.range(200..<202), .range(404..<406), [200, 201, 404, 405], [202, 403, 406]),
            (.any, [404], [200, 404, 999], []), ([], .successful, [200, 299], [300]),
            (.range(200..<400), .range(300..<310), [200, 309, 399], [400]),
            (.range(.min ..< .max), .successful, [.min, -1, 200, 1000], [.max]),
        ] as [(AcceptedStatuses, AcceptedStatuses, [Int], [Int])]
    )
    func aUnionHasTheStatusesOfBoth(
        _ one: AcceptedStatuses,
        _ other: AcceptedStatuses,
        _ inside: [Int],
        _ outside: [Int]
    ) {
        for union in [one.union(other), other.union(one)] {
            #expect(inside.allSatisfy { union.contains(HTTPStatus($0)) })
            #expect(!outside.contains { union.contains(HTTPStatus($0)) })
        }
    }
}
