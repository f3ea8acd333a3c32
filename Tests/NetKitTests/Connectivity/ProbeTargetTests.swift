import Foundation
import Testing

@testable import NetKit

struct ProbeTargetTests {
    @Test(arguments: [
        ("https://api.example.com/v1", "api.example.com:443"), ("http://api.example.com", "api.example.com:80"),
        ("https://api.example.com:8443/x?y", "api.example.com:8443"), ("http://[2001:db8::1]:81/", "[2001:db8::1]:81"),
        ("tcp://db:5432", "db:5432"), ("tcp://db", nil), ("file:///etc/hosts", nil), ("/relative", nil),
        ("https://a:99999/", nil), ("https://a:0/", nil), ("https://bücher.example", "xn--bcher-kva.example:443"),
    ])
    func theServerOfAURLIsATarget(url: String, expected: String?) {
        #expect(ProbeTarget(URL(string: url))?.description == expected)
    }

    @Test(arguments: [
        ("http://a.example/generate_204", "http://a.example:80/generate_204 -> 204"),
        ("http://a.example", "http://a.example:80/ -> 204"),
        ("http://a.example/x?y=1%20", "http://a.example:80/x?y=1%20 -> 204"),
        ("http://bücher.example/x", "http://xn--bcher-kva.example:80/x -> 204"),
        ("https://a.example/x", nil), ("ftp://a.example/x", nil),
    ])
    func onlyAnHTTPPageCanBeATarget(url: String, expected: String?) {
        #expect(ProbeTarget(http: URL(string: url))?.description == expected)
    }

    @Test func valuesOutsideTheirRangesAreClamped() {
        let policy = ProbePolicy(
            (0..<40).map { .tcp("a\($0).example", port: 1) },
            quorum: 99,
            interval: .zero,
            timeout: .seconds(999),
            failuresToDisconnect: -1,
            successesToConnect: 0
        ).checked
        #expect(policy.targets.count == 16 && policy.quorum == 16)
        #expect(policy.interval == .milliseconds(10) && policy.timeout == .seconds(60))
        #expect(policy.failuresToDisconnect == 1 && policy.successesToConnect == 1)
        #expect(ProbePolicy().checked.quorum == 1)
    }

    #if canImport(Glibc) || canImport(Musl)
        @Test(arguments: [
            ("HTTP/1.1 204 No Content\r\n", ProbeResult.reached), ("HTTP/1.0 204\n", .reached),
            ("HTTP/1.1 302 Found\r\n", .portal), ("HTTP/1.1 200 OK\r\n", .portal), ("HTTP/1.1 511 x\r\n", .portal),
            ("HTTP/1.1 404 Not Found\r\n", .portal), ("HTTP/1.1 503 Busy\r\n", .failed), ("SSH-2.0-x\r\n", .portal),
            ("\n", .portal), ("HTTP/1.1 x\n", .portal), ("HTTP/1.1 204 No Content", nil),
            (String(repeating: "x", count: 1025), .portal),
        ])
        func theFirstLineOfTheResponseDecides(response: String, expected: ProbeResult?) {
            var whole = ProbeResponse(expecting: 204)
            #expect(whole.take(Array(response.utf8)) == expected)
            var byByte = ProbeResponse(expecting: 204)
            var result: ProbeResult?
            for byte in response.utf8 where result == nil { result = byByte.take([byte]) }
            #expect(result == expected)
        }

        @Test func theProbeIsAPlainGET() {
            let request = String(decoding: ProbeResponse.request(host: "::1", port: 81, path: "/x?y"), as: UTF8.self)
            #expect(request.hasPrefix("GET /x?y HTTP/1.1\r\nHost: [::1]:81\r\n"))
            #expect(request.hasSuffix("Connection: close\r\n\r\n"))
        }

        @Test func addressFamiliesAlternate() {
            let given = ["2001:db8::1", "2001:db8::2", "10.0.0.1", "10.0.0.2", "10.0.0.3"]
            let order = ["2001:db8::1", "10.0.0.1", "2001:db8::2", "10.0.0.2", "10.0.0.3"]
            #expect(Array(ProbeRound.order(given).reversed()) == order)
            #expect(ProbeRound.order((0..<99).map { "10.0.0.\($0)" }).count == ProbeRound.maxAddresses)
            #expect(ProbeRound.order([]) == [])
        }

        @Test(arguments: [
            ("10.0.0.1", true), ("::1", true), ("fe80::1%eth0", true), ("a.example", false), ("1.2.3", false),
            ("1.2.3.999", false), ("1.2.3.+4", false), ("", false),
        ])
        func addressesNeedNoLookup(host: String, expected: Bool) {
            #expect(ProbeRound.isNumeric(host) == expected)
        }
    #endif
}
