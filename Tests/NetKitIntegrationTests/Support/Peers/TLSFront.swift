import Foundation
import Testing

/// A port with TLS before a port without it, in a process of its own.
final class TLSFront: Sendable {
    private let process: RunningProcess
    /// Where it is, with the certificate `server`.
    let url: URL

    /// Starts a front; `endsTLS` says whether it tells its client so before it closes a connection.
    init(before port: UInt16, _ certificates: TestCertificates, endsTLS: Bool = false) async throws {
        let python = try Peer.python3.required()
        let files = [certificates.certificate(.server), certificates.key(.server)]
        process = try RunningProcess(
            URL(fileURLWithPath: python.path),
            ["-u", "-c", Self.script, String(port)] + files.map { $0.path() } + (endsTLS ? ["ends"] : [])
        )
        guard let number = Int(await process.firstLine()) else { throw PeerError("the front in Python did not start") }
        url = try #require(URL(string: "https://localhost:\(number)"))
    }

    func stop() async {
        await process.stop()
    }

    private static let script = #"""
        import os, select, signal, socket, ssl, sys, threading


        def serve(client):
            try:
                outer = context.wrap_socket(client, server_side=True)
                inner = socket.create_connection(("127.0.0.1", port))
                while True:
                    ready = [outer] if outer.pending() else select.select([outer, inner], [], [])[0]
                    for source in ready:
                        data = source.recv(65536)
                        if not data:
                            if len(sys.argv) > 4 and source is inner:
                                outer.unwrap()
                            outer.close()
                            inner.close()
                            return
                        (inner if source is outer else outer).sendall(data)
            except OSError:
                client.close()


        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        port = int(sys.argv[1])
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        server = socket.create_server(("127.0.0.1", 0))


        def accept():
            while True:
                client, _ = server.accept()
                threading.Thread(target=serve, args=(client,), daemon=True).start()


        threading.Thread(target=accept, daemon=True).start()
        print(server.getsockname()[1], flush=True)
        sys.stdin.read()
        os._exit(0)
        """#
}
