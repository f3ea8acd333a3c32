import Foundation
import NetKit
import NetKitTesting
import Testing

/// A TLS 1.3 server that sends unsolicited bytes after its responses: responses, session tickets and key updates.
///
/// The script speaks to OpenSSL directly, because Python's own module cannot send a ticket or a key update when told
/// to.
final class UnaskedTLSPeer: Sendable {
    private let process: RunningProcess
    private let folder: TemporaryFolder
    private let base: URL
    private let controlBase: URL
    private let control = HTTPClient(transport: .platformDefault, interceptors: [])

    /// Starts a server, and returns it once it listens.
    init() async throws {
        let certificates = try await TestCertificates.shared.value
        folder = try TemporaryFolder()
        let script = folder.url.appending(path: "unasked.py")
        try Data(Self.script.utf8).writeUnsynced(to: script)
        let python = try Peer.python3.required()
        let files = [certificates.certificate(.server).path(), certificates.key(.server).path()]
        process = try RunningProcess(URL(fileURLWithPath: python.path), ["-u", script.path()] + files)
        let ports = await process.firstLine().split(separator: " ").compactMap { Int($0) }
        try #require(ports.count == 2, "the server did not start")
        base = try #require(URL(string: "https://127.0.0.1:\(ports[0])"))
        controlBase = try #require(URL(string: "http://127.0.0.1:\(ports[1])"))
    }

    /// The URL of a path, whose query says what the server sends after the response.
    func url(_ path: String) throws -> URL {
        try #require(URL(string: base.absoluteString + path))
    }

    /// Waits until the server has sent everything after a number of responses.
    func waitForExtras(_ count: Int) async throws {
        let url = try #require(URL(string: controlBase.absoluteString + "/extras?count=\(count)"))
        let response = try await control.send(HTTPRequest(.get, url))
        #expect(try await response.body.text(upTo: 10) == "yes")
    }

    /// Ends the server's process.
    func stop() async {
        await process.stop()
    }

    /// `extra` names what follows a response, `after` the delay in milliseconds (nil: in the same record), and `size`
    /// the length of the body. Each response names its connection.
    private static let script = #"""
        import ctypes, os, signal, socket, sys, threading, time
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
        from urllib.parse import parse_qs, urlsplit

        ssl = ctypes.CDLL("libssl.so.3")
        for name in ("TLS_server_method", "SSL_CTX_new", "SSL_new"):
            getattr(ssl, name).restype = ctypes.c_void_p
        context = ctypes.c_void_p(ssl.SSL_CTX_new(ctypes.c_void_p(ssl.TLS_server_method())))
        assert ssl.SSL_CTX_use_certificate_chain_file(context, sys.argv[1].encode()) == 1
        assert ssl.SSL_CTX_use_PrivateKey_file(context, sys.argv[2].encode(), 1) == 1
        counted = threading.Condition()
        extras = 0
        connections = 0
        EVIL = b"HTTP/1.1 200 OK\r\nX-Path: evil\r\nContent-Length: 4\r\n\r\nevil"


        def serve(peer, number):
            global extras
            handle = ctypes.c_void_p(ssl.SSL_new(context))
            ssl.SSL_set_fd(handle, peer.fileno())
            if ssl.SSL_accept(handle) != 1:
                return peer.close()
            buffer = ctypes.create_string_buffer(65536)
            data = b""

            def read():
                nonlocal data
                count = ssl.SSL_read(handle, buffer, len(buffer))
                if count > 0:
                    data += buffer.raw[:count]
                return count > 0

            def write(content):
                return ssl.SSL_write(handle, content, len(content)) == len(content)

            while True:
                while b"\r\n\r\n" not in data:
                    if not read():
                        return peer.close()
                head, data = data.split(b"\r\n\r\n", 1)
                lines = head.decode("latin-1").split("\r\n")
                method, target = lines[0].split(" ")[:2]
                fields = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines[1:])}
                length = int(fields.get("content-length", "0"))
                while len(data) < length:
                    if not read():
                        return peer.close()
                data = data[length:]
                parts = urlsplit(target)
                query = {name: values[0] for name, values in parse_qs(parts.query).items()}
                body = b"x" * int(query["size"]) if "size" in query else parts.path.encode()
                response = "HTTP/1.1 200 OK\r\nX-Path: %s\r\nX-Connection: %d\r\nContent-Length: %d\r\n\r\n"
                response = (response % (parts.path, number, len(body))).encode() + (b"" if method == "HEAD" else body)
                kind = query.get("extra")
                if kind == "response" and "after" not in query:
                    response += EVIL
                if not write(response):
                    return peer.close()
                if "after" in query:
                    time.sleep(int(query["after"]) / 1000)
                if kind == "response" and "after" in query:
                    write(EVIL)
                if kind == "part":
                    write(EVIL[:20])
                if kind == "ticket":
                    ssl.SSL_new_session_ticket(handle)
                    ssl.SSL_do_handshake(handle)
                if kind == "update":
                    ssl.SSL_key_update(handle, int(query["reply"]))
                    ssl.SSL_do_handshake(handle)
                if kind:
                    with counted:
                        extras += 1
                        counted.notify_all()


        class Control(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *arguments):
                pass

            def do_GET(self):
                count = int(parse_qs(urlsplit(self.path).query)["count"][0])
                with counted:
                    body = b"yes" if counted.wait_for(lambda: extras >= count, 20) else b"no"
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)


        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        control = ThreadingHTTPServer(("127.0.0.1", 0), Control)
        control.daemon_threads = True
        threading.Thread(target=control.serve_forever, daemon=True).start()
        threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
        print(listener.getsockname()[1], control.server_address[1], flush=True)
        while True:
            peer, _ = listener.accept()
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connections += 1
            threading.Thread(target=serve, args=(peer, connections), daemon=True).start()
        """#
}
