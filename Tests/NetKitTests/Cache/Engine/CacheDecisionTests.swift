import Foundation
import Testing

@testable import NetKit

/// Tests of the decision about a request: RFC 9111, sections 4 and 5.2.1.
struct CacheDecisionTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let section: String
        var asking: HTTPHeaders = [:]
        var stored: HTTPHeaders?
        var age = 0.0
        var method = HTTPMethod.get
        var policy = CachePolicy.standard
        let expected: CacheDecision

        var testDescription: String { "\(section): \(asking.fields.map(\.value)) of \(age) s, \(policy)" }
    }

    private static let fresh: HTTPHeaders = ["Cache-Control": "max-age=60", "ETag": "\"1\""]
    private static let bare: HTTPHeaders = ["Cache-Control": "max-age=60"]

    @Test(
        arguments: [
            Row(section: "4 nothing stored", expected: .fetch(.uriMiss)),
            Row(section: "4 fresh", stored: fresh, age: 59, expected: .use(.fresh)),
            Row(section: "4 just stale", stored: fresh, age: 60, expected: .revalidate(.stale)),
            Row(section: "4 stale without validator", stored: bare, age: 60, expected: .fetch(.stale)),
            Row(section: "4 HEAD", stored: fresh, method: .head, expected: .use(.fresh)),
            Row(section: "4 POST", stored: fresh, method: .post, expected: .fetch(.method)),
            Row(
                section: "5.2.2.4",
                stored: ["Cache-Control": "no-cache, max-age=60", "ETag": "\"1\""],
                expected: .revalidate(.request)
            ),
            Row(
                section: "5.2.2.4 fields",
                stored: ["Cache-Control": "no-cache=\"a\", max-age=60"],
                expected: .use(.fresh)
            ),
            Row(
                section: "5.2.1.1",
                asking: ["Cache-Control": "max-age=10"],
                stored: fresh,
                age: 10,
                expected: .use(.fresh)
            ),
            Row(
                section: "5.2.1.1",
                asking: ["Cache-Control": "max-age=10"],
                stored: fresh,
                age: 11,
                expected: .revalidate(.request)
            ),
            Row(
                section: "5.2.1.1 zero",
                asking: ["Cache-Control": "max-age=0"],
                stored: fresh,
                expected: .revalidate(.request)
            ),
            Row(
                section: "5.2.1.2",
                asking: ["Cache-Control": "max-stale=10"],
                stored: fresh,
                age: 70,
                expected: .use(.stale)
            ),
            Row(
                section: "5.2.1.2",
                asking: ["Cache-Control": "max-stale=10"],
                stored: fresh,
                age: 71,
                expected: .revalidate(.stale)
            ),
            Row(
                section: "5.2.1.2 any",
                asking: ["Cache-Control": "max-stale"],
                stored: fresh,
                age: 9e5,
                expected: .use(.stale)
            ),
            Row(
                section: "5.2.2.2",
                asking: ["Cache-Control": "max-stale"],
                stored: ["Cache-Control": "max-age=60, must-revalidate"],
                age: 60,
                expected: .fetch(.stale)
            ),
            Row(
                section: "5.2.2.2 fresh",
                stored: ["Cache-Control": "max-age=60, must-revalidate"],
                expected: .use(.fresh)
            ),
            Row(
                section: "5.2.1.3",
                asking: ["Cache-Control": "min-fresh=10"],
                stored: fresh,
                age: 50,
                expected: .use(.fresh)
            ),
            Row(
                section: "5.2.1.3",
                asking: ["Cache-Control": "min-fresh=10"],
                stored: fresh,
                age: 51,
                expected: .revalidate(.request)
            ),
            Row(
                section: "5.2.1.4",
                asking: ["Cache-Control": "no-cache"],
                stored: fresh,
                expected: .revalidate(.request)
            ),
            Row(section: "5.4", asking: ["Pragma": "no-cache"], stored: fresh, expected: .revalidate(.request)),
            Row(section: "5.4 other", asking: ["Pragma": "x"], stored: fresh, expected: .use(.fresh)),
            Row(
                section: "5.4 beside",
                asking: ["Pragma": "no-cache", "Cache-Control": "x"],
                stored: fresh,
                expected: .use(.fresh)
            ),
            Row(section: "5.2.1.5", asking: ["Cache-Control": "no-store"], stored: fresh, expected: .fetch(.request)),
            Row(
                section: "5.2.1.7 miss",
                asking: ["Cache-Control": "only-if-cached"],
                expected: .gatewayTimeout(.uriMiss)
            ),
            Row(
                section: "5.2.1.7 stale",
                asking: ["Cache-Control": "only-if-cached"],
                stored: fresh,
                age: 60,
                expected: .gatewayTimeout(.stale)
            ),
            Row(
                section: "5.2.1.7 hit",
                asking: ["Cache-Control": "only-if-cached"],
                stored: fresh,
                expected: .use(.fresh)
            ),
            Row(
                section: "5.2.1.7 max-stale",
                asking: ["Cache-Control": "only-if-cached, max-stale"],
                stored: fresh,
                age: 99,
                expected: .use(.stale)
            ),
            Row(section: "RFC 9110 13.1.1", asking: ["If-Match": "\"1\""], stored: fresh, expected: .fetch(.request)),
            Row(
                section: "4.3.1 own conditions",
                asking: ["If-None-Match": "\"0\""],
                stored: fresh,
                age: 60,
                expected: .fetch(.stale)
            ),
            Row(
                section: "RFC 5861 3",
                stored: ["Cache-Control": "max-age=60, stale-while-revalidate=30"],
                age: 89,
                expected: .use(.staleWhileRefreshing)
            ),
            Row(
                section: "RFC 5861 3 over",
                stored: ["Cache-Control": "max-age=60, stale-while-revalidate=30"],
                age: 90,
                expected: .fetch(.stale)
            ),
            Row(
                section: "RFC 5861 3",
                stored: ["Cache-Control": "max-age=60, stale-while-revalidate=30, must-revalidate"],
                age: 61,
                expected: .fetch(.stale)
            ),
            Row(
                section: "RFC 5861 3",
                asking: ["Cache-Control": "no-cache"],
                stored: ["Cache-Control": "max-age=60, stale-while-revalidate=30"],
                age: 61,
                expected: .fetch(.stale)
            ),
            Row(
                section: "RFC 8246",
                asking: ["Cache-Control": "max-age=0"],
                stored: ["Cache-Control": "max-age=60, immutable"],
                expected: .use(.fresh)
            ),
            Row(
                section: "RFC 8246 stale",
                stored: ["Cache-Control": "max-age=60, immutable"],
                age: 60,
                expected: .fetch(.stale)
            ),
            Row(section: "noCache", stored: fresh, policy: .noCache, expected: .fetch(.bypass)),
            Row(section: "reload", stored: fresh, policy: .reload, expected: .fetch(.request)),
            Row(section: "networkFirst", stored: fresh, policy: .networkFirst, expected: .revalidate(.request)),
            Row(section: "cacheOnly", policy: .cacheOnly, expected: .miss(.absent)),
            Row(section: "cacheOnly", stored: bare, age: 9e5, policy: .cacheOnly, expected: .use(.stale)),
            Row(
                section: "cacheOnly",
                stored: [:],
                age: 31,
                policy: .cacheOnly.lasting(.seconds(30)),
                expected: .miss(.expired)
            ),
            Row(
                section: "cacheOnly",
                stored: ["Cache-Control": "max-age=60, must-revalidate"],
                age: 60,
                policy: .cacheOnly,
                expected: .miss(.expired)
            ),
            Row(section: "cacheFirst", stored: [:], age: 3599, policy: .cacheFirst, expected: .use(.fresh)),
            Row(section: "cacheFirst", stored: [:], age: 3600, policy: .cacheFirst, expected: .fetch(.stale)),
            Row(
                section: "cacheFirst",
                stored: [:],
                age: 29,
                policy: .cacheFirst.lasting(.seconds(30)),
                expected: .use(.fresh)
            ),
            Row(
                section: "cacheFirst",
                stored: [:],
                age: 30,
                policy: .cacheFirst.lasting(.seconds(30)),
                expected: .fetch(.stale)
            ),
            Row(
                section: "cacheFirst",
                stored: bare,
                age: 60,
                policy: .cacheFirst.lasting(.seconds(300)),
                expected: .fetch(.stale)
            ),
            Row(
                section: "standard with a TTL",
                stored: [:],
                age: 29,
                policy: .standard.lasting(.seconds(30)),
                expected: .use(.fresh)
            ),
            Row(section: "standard without", stored: [:], expected: .fetch(.stale)),
        ] as [Row]
    )
    func decides(row: Row) {
        let decision = CacheEngine.decide(
            now: cacheStart,
            cacheRequest: CacheRequest(method: row.method, headers: row.asking),
            stored: row.stored.map { StoredResponse.test($0, age: row.age) },
            policy: row.policy
        )
        #expect(decision == row.expected)
    }

    /// RFC 9111, section 4.3.3, and RFC 5861, section 4.
    @Test(
        arguments: [
            ("max-age=60", 70, CachePolicy.standard, false, false),
            ("max-age=60, stale-if-error=30", 90, .standard, false, true),
            ("max-age=60, stale-if-error=30", 91, .standard, false, false),
            ("max-age=60, stale-if-error=30, must-revalidate", 70, .standard, false, false),
            ("max-age=60, stale-if-error=30, no-cache", 70, .standard, false, false),
            ("max-age=60", 70, .standard, true, true), ("max-age=60, must-revalidate", 70, .standard, true, false),
            ("max-age=60, no-cache", 70, .standard, true, false), ("max-age=60", 9e5, .networkFirst, false, true),
            ("max-age=60, must-revalidate", 59, .networkFirst, false, true),
            ("max-age=60, must-revalidate", 61, .networkFirst, false, false),
            ("x", 31, .networkFirst.lasting(.seconds(30)), false, false),
            ("x", 29, .networkFirst.lasting(.seconds(30)), false, true),
            ("max-age=60, stale-if-error=30", 70, .reload, false, false),
        ] as [(String, Double, CachePolicy, Bool, Bool)]
    )
    func coversFailures(control: String, age: Double, policy: CachePolicy, whenDisconnected: Bool, may: Bool) {
        var settings = CacheSettings()
        settings.servesStaleWhenDisconnected = whenDisconnected
        let covers = CacheEngine.mayCoverFailure(
            now: cacheStart,
            cacheRequest: CacheRequest(method: .get, headers: [:]),
            stored: .test(["Cache-Control": control], age: age),
            isDisconnected: true,
            policy: policy,
            settings: settings
        )
        #expect(covers == may)
    }

    @Test func theRequestMayAllowStaleOnErrors() {
        let cacheRequest = CacheRequest(method: .get, headers: ["Cache-Control": "stale-if-error=30"])
        let stored = StoredResponse.test(["Cache-Control": "max-age=60"], age: 80)
        let covers = CacheEngine.mayCoverFailure(
            now: cacheStart,
            cacheRequest: cacheRequest,
            stored: stored,
            isDisconnected: false,
            policy: .standard,
            settings: CacheSettings()
        )
        #expect(covers)
    }

    /// RFC 5861, section 4; an unknown status counts as 500 (RFC 9110, section 15).
    @Test(arguments: [500, 502, 503, 504, 520, 522, 599] as [HTTPStatus])
    func aFailureOfAServerOrAGatewayMayBeReplaced(status: HTTPStatus) {
        #expect(CacheEngine.isFailure(status))
    }

    @Test(arguments: [200, 404, 429, 499, 501, 505, 507, 508, 511, 600] as [HTTPStatus])
    func anotherStatusIsTheResponse(status: HTTPStatus) {
        #expect(!CacheEngine.isFailure(status))
    }

    /// The client itself sends nothing for the time being.
    @Test(arguments: [NetKitError.Code.circuitOpen, .rateLimited, .queueFull])
    func aClientThatIsAtItsLimitsCountsAsAFailureOfTheNetwork(code: NetKitError.Code) {
        #expect(CacheEngine.isFailure(NetKitError(code, "Refused.")))
    }
}
