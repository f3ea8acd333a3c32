import Foundation
import NetKitTesting
import Testing

/// nginx in a process of its own, with a port for each behavior.
///
/// On every port there are:
/// - `/kilobyte`, `/medium` and `/large`: 1,024, 2,000,000 and 10,000,000 bytes of `patternedData`, ranges as well;
/// - `/text.txt`: `NginxPeer.text`, gzipped for clients that accept that; `/zeros`: `CompressedZeros`;
/// - `/fields`: header fields, some twice, and the request's `X-Test` as `X-Sent`; `/facts`: `NginxFacts`;
/// - `/upload`: the length of a body that was read to its end; `/upload-small`: the same up to 1 KiB, above that 413;
/// - `/store/…`: stores what is put there; `/closing`: closes the connection after its response;
/// - `/large-head`: 20 fields of 2,000 bytes.
final class NginxPeer: Sendable {
    /// The server of this run of the tests, started when first asked for.
    static let shared = Task { try await NginxPeer(TestCertificates.shared.value) }

    static let text = String(repeating: "nginx compresses this\n", count: 1000)
    static let mediumSize = 2_000_000
    static let mediumSHA256 = "82fa05417c03925cb7e8fd2bc2e9f2e2a1c8c421427ccdba1ab0091261e3a840"
    static let largeSize = 10_000_000
    static let largeSHA256 = "f23042171382c7c5fbdb39bd335bee5ae7332aec28187a62849da53e74de1ba1"

    let certificates: TestCertificates
    private let folder: RunFolder
    private let ports: [NginxPort: ReservedPort]

    init(_ certificates: TestCertificates) async throws {
        self.certificates = certificates
        let nginx = try Peer.nginx.required()
        var ports: [NginxPort: ReservedPort] = [:]
        for port in NginxPort.allCases { ports[port] = try ReservedPort() }
        self.ports = ports
        folder = try RunFolder { [ports] folder in
            let files = folder.appending(path: "files")
            try FileManager.default.createDirectory(
                at: files.appending(path: "store"),
                withIntermediateDirectories: true
            )
            try patternedData(1024).writeUnsynced(to: files.appending(path: "kilobyte"))
            try patternedData(Self.mediumSize).writeUnsynced(to: files.appending(path: "medium"))
            try patternedData(Self.largeSize).writeUnsynced(to: files.appending(path: "large"))
            try Data(Self.text.utf8).writeUnsynced(to: files.appending(path: "text.txt"))
            try CompressedZeros.gzip.writeUnsynced(to: files.appending(path: "zeros"))
            let configuration = NginxConfiguration(folder: folder, certificates: certificates, ports: ports)
            let file = folder.appending(path: "nginx.conf")
            try Data(configuration.text.utf8).writeUnsynced(to: file)
            return [nginx.path, "-p", folder.path(), "-c", file.path(), "-e", "stderr"]
        }
        try await folder.waitForListeners(at: Array(ports.values))
    }

    /// Ends the process, and waits until it is gone.
    func stop() async {
        await folder.remove()
    }

    /// Returns a URL, by any name that leads to this machine.
    func url(_ port: NginxPort, _ path: String, host: String = "localhost") throws -> URL {
        let scheme = port.isTLS ? "https" : "http"
        return try #require(URL(string: "\(scheme)://\(host):\(number(port))\(path)"))
    }

    /// The number of a port.
    func number(_ port: NginxPort) throws -> UInt16 {
        try #require(ports[port]).number
    }

    /// The path of the Unix domain socket that also serves `plain`.
    var socketPath: String { folder.url.appending(path: "nginx.socket").path() }

    /// The path of the Unix domain socket that also serves `tls`.
    var secureSocketPath: String { folder.url.appending(path: "secure.socket").path() }
}
