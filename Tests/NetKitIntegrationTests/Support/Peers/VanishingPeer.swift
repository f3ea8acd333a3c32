import Foundation
import NetKitTesting
import Testing

/// A server over HTTP/2 that responds with status 200, and whose first connection is cut off without a sign.
///
/// The kernel lets nothing more in on that connection after the first request, and so acknowledges nothing, as after a
/// fault of the network or of the machine. Later connections work.
final class VanishingPeer: Sendable {
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
        import ctypes, os, signal, socket, ssl, struct, sys, threading

        SETTINGS = bytes(3) + b"\x04" + bytes(5)
        # A socket filter that lets nothing in, so that the kernel acknowledges nothing either.
        NOTHING = ctypes.create_string_buffer(struct.pack("=HBBI", 0x06, 0, 0, 0))


        def exactly(connection, count):
            data = b""
            while len(data) < count:
                part = connection.recv(count - len(data))
                if not part:
                    raise OSError
                data += part
            return data


        def serve(connection, vanishes):
            try:
                secured = context.wrap_socket(connection, server_side=True)
                exactly(secured, 24)
                secured.sendall(SETTINGS)
                while True:
                    head = exactly(secured, 9)
                    exactly(secured, int.from_bytes(head[:3], "big"))
                    if head[3] == 1:
                        if vanishes:
                            program = struct.pack("@HP", 1, ctypes.addressof(NOTHING))
                            secured.setsockopt(socket.SOL_SOCKET, 26, program)
                        # The status 200, and the end of the stream.
                        secured.sendall(b"\x00\x00\x01\x01\x05" + head[5:9] + b"\x88")
            except OSError:
                pass


        def accept():
            vanishes = True
            while True:
                connection, _ = server.accept()
                threading.Thread(target=serve, args=(connection, vanishes), daemon=True).start()
                vanishes = False


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
