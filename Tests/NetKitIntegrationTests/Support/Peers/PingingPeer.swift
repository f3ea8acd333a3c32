import Foundation
import NetKitTesting
import Testing

/// A server over HTTP/2 that pings its clients, takes no more of a body than the first window, and never responds.
final class PingingPeer: Sendable {
    let certificates: TestCertificates
    private let process: RunningProcess
    private let port: Int

    /// Starts a server, and returns it once it listens.
    init() async throws {
        certificates = try await TestCertificates.shared.value
        let python = try Peer.python3.required()
        let files = [certificates.certificate(.server), certificates.key(.server)]
        process = try RunningProcess(
            URL(fileURLWithPath: python.path),
            ["-u", "-c", Self.script] + files.map { $0.path() }
        )
        let number = await Int(process.firstLine())
        port = try #require(number, "the server in Python did not start")
    }

    /// The URL of the server.
    func url() throws -> URL { try #require(URL(string: "https://localhost:\(port)/")) }

    /// Ends the server's process.
    func stop() async { await process.stop() }

    private static let script = #"""
        import os, signal, socket, ssl, sys, threading, time

        SETTINGS = bytes(3) + b"\x04" + bytes(5)
        PING = b"\x00\x00\x08\x06" + bytes(5) + bytes(8)


        def serve(connection):
            connection.settimeout(10)
            try:
                secured = context.wrap_socket(connection, server_side=True)
                secured.sendall(SETTINGS)
                # The client acknowledges each ping.
                while secured.recv(65536):
                    secured.sendall(PING)
                    time.sleep(0.02)
            except OSError:
                pass


        def accept():
            while True:
                connection, _ = server.accept()
                threading.Thread(target=serve, args=(connection,), daemon=True).start()


        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        context.set_alpn_protocols(["h2"])
        server = socket.create_server(("127.0.0.1", 0), backlog=128)
        threading.Thread(target=accept, daemon=True).start()
        print(server.getsockname()[1], flush=True)
        sys.stdin.read()
        os._exit(0)
        """#
}
