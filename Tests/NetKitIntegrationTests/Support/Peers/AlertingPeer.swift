import Foundation
import Testing

/// A TLS server that requires a certificate of its clients, and refuses those without a good one in the handshake
/// itself.
///
/// nginx completes the handshake and responds with 400. Here the refusal is an alert of TLS: in TLS 1.2 it arrives
/// while the client connects, in TLS 1.3 when it already waits for the response.
final class AlertingPeer: Sendable {
    /// The server of this run of the tests, started when first asked for.
    static let shared = Task { try await AlertingPeer(TestCertificates.shared.value) }

    let certificates: TestCertificates
    private let process: RunningProcess
    private let ports: [TLSVersion: Int]
    /// The ports that close at once after the refusal, which cuts the connection under a request that is being sent.
    private let abruptPorts: [TLSVersion: Int]

    init(_ certificates: TestCertificates) async throws {
        self.certificates = certificates
        let python = try Peer.python3.required()
        let files = [certificates.authority, certificates.certificate(.server), certificates.key(.server)]
        process = try RunningProcess(
            URL(fileURLWithPath: python.path),
            ["-u", "-c", Self.script] + files.map { $0.path() }
        )
        let numbers = await process.firstLine().split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 4 else { throw PeerError("the server in Python did not start") }
        ports = [.tls12: numbers[0], .tls13: numbers[1]]
        abruptPorts = [.tls12: numbers[2], .tls13: numbers[3]]
    }

    deinit { process.endInput() }

    /// The URL for one version of TLS and no other. Every path responds with `hello`.
    func url(_ version: TLSVersion, host: String = "localhost", isAbrupt: Bool = false) throws -> URL {
        let port = try #require(isAbrupt ? abruptPorts[version] : ports[version])
        return try #require(URL(string: "https://\(host):\(port)/"))
    }

    private static let script = #"""
        import os, signal, socket, ssl, sys, threading


        def serve(connection, context, is_abrupt):
            connection.settimeout(10)
            secured = context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
            try:
                secured.do_handshake()
                request = b""
                while b"\r\n\r\n" not in request:
                    data = secured.recv(65536)
                    if not data:
                        return
                    request += data
                secured.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello")
                secured.unwrap()
            except OSError:
                if is_abrupt:
                    secured.close()
                    return
                # Closing with something unread would take back the alert, which the client is still to see.
                try:
                    plain = socket.socket(fileno=secured.detach())
                    plain.settimeout(10)
                    plain.shutdown(socket.SHUT_WR)
                    while plain.recv(65536):
                        pass
                except OSError:
                    pass


        def accept(server, context, is_abrupt):
            while True:
                connection, _ = server.accept()
                threading.Thread(target=serve, args=(connection, context, is_abrupt), daemon=True).start()


        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        authority, certificate, key = sys.argv[1:4]
        servers = []
        versions = ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3
        for version, is_abrupt in [(version, is_abrupt) for is_abrupt in (False, True) for version in versions]:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.minimum_version = context.maximum_version = version
            context.load_cert_chain(certificate, key)
            context.load_verify_locations(authority)
            context.verify_mode = ssl.CERT_REQUIRED
            servers.append(socket.create_server(("127.0.0.1", 0), backlog=128))
            threading.Thread(target=accept, args=(servers[-1], context, is_abrupt), daemon=True).start()
        print(*[server.getsockname()[1] for server in servers], flush=True)
        sys.stdin.read()
        os._exit(0)
        """#
}
