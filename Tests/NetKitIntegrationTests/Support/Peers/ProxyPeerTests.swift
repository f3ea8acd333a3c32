import Foundation
import NetKitTestSupport
import Testing

/// Tests of the proxies that other suites rely on when they test a transport, with curl as the client.
@Suite(.needsTheMachine, .needs(.nginx, .openssl, .curl, .tinyproxy, .microsocks))
struct ProxyPeerTests {
    private func curl(
        _ proxy: ProxyPeer,
        _ port: NginxPort,
        login: String? = nil,
        _ arguments: [String] = []
    ) async throws -> CurlCommand.Result {
        let nginx = try await NginxPeer.shared.value
        let place = try nginx.url(port, "/facts").absoluteString
        return try await CurlCommand.run(
            ["--cacert", nginx.certificates.authority.path(), "--proxy", proxy.url.absoluteString]
                + (login.map { ["--proxy-user", $0] } ?? []) + arguments + [place]
        )
    }

    private static let login = "\(ProxyPeer.user):\(ProxyPeer.password)"

    @Test(
        arguments: ProxyPeer.Kind.allCases,
        [(.plain, "HTTP/1.1"), (.tls, "HTTP/2.0"), (.tlsHTTP1, "HTTP/1.1")] as [(NginxPort, String)]
    )
    func passesOn(kind: ProxyPeer.Kind, target: (port: NginxPort, version: String)) async throws {
        let proxy = try await ProxyPeer(kind)
        let result = try await curl(proxy, target.port)
        let facts = try JSONDecoder().decode(NginxFacts.self, from: Data(result.output.utf8))
        #expect(facts.version == target.version)
        let number = try await NginxPeer.shared.value.number(target.port)
        #expect(proxy.notes.contains("localhost:\(number)"))
        await proxy.stop()
    }

    @Test(arguments: ProxyPeer.Kind.allCases, [NginxPort.plain, .tls])
    func wantsAPassword(kind: ProxyPeer.Kind, port: NginxPort) async throws {
        let proxy = try await ProxyPeer(kind, wantsPassword: true)
        let good = try await curl(proxy, port, login: Self.login)
        #expect(good.status == 0)
        #expect(good.output.contains("HTTP/"))
        for (login, status) in [(nil, 407), ("\(ProxyPeer.user):wrong", 401)] {
            let refused = try await curl(proxy, port, login: login, ["--write-out", " %{http_code} %{http_connect}"])
            switch (kind, port.isTLS) {
            case (.http, false): #expect(refused.output.hasSuffix(" \(status) 000"))
            case (.http, true): #expect(refused.status == 56 && refused.output.contains(" 000 \(status)"))
            case (.socks5, _): #expect(refused.status == 97)
            }
        }
        await proxy.stop()
    }

    /// The proxy reports a server that refuses connections, each in its own way.
    @Test(arguments: ProxyPeer.Kind.allCases)
    func tellsOfARefusal(kind: ProxyPeer.Kind) async throws {
        let proxy = try await ProxyPeer(kind)
        let port = try ReservedPort()
        let place = try #require(URL(string: "http://127.0.0.1:\(port.number)/"))
        let result = try await CurlCommand.run(
            "--proxy",
            try proxy.url.absoluteString,
            "--output",
            "/dev/null",
            "--write-out",
            "%{http_code}",
            url: place
        )
        switch kind {
        case .http: #expect(result.output == "500")
        case .socks5: #expect(result.status == 97)
        }
        await proxy.stop()
    }

    @Test(arguments: ProxyPeer.Kind.allCases)
    func stops(kind: ProxyPeer.Kind) async throws {
        let proxy = try await ProxyPeer(kind)
        let port = try UInt16(#require(proxy.url.port))
        #expect(RawConnection(port: port) != nil)
        await proxy.stop()
        #expect(RawConnection(port: port) == nil)
    }
}
