extension PythonServer {
    /// The program of the server: HTTP/1.1 over two loopback ports, with a third that is bound and refuses connections.
    ///
    /// `/wait` and `/drip` announce themselves under a key; `/arrived` and `/gone` wait for that, so that a test knows
    /// that a request is there, or that its connection was closed, without sleeping. The server ends with its standard
    /// input, whatever becomes of the test.
    static let script = #"""
        import gzip, hashlib, json, os, select, signal, socket, sys, threading, time
        from collections import defaultdict
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
        from urllib.parse import parse_qs, urlsplit

        PATTERN = bytes(range(251))
        lock = threading.Lock()
        events = defaultdict(threading.Event)


        def event(kind, key):
            with lock:
                return events[kind, key]


        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True
            wbufsize = -1

            def log_message(self, *arguments):
                pass

            def handle_any(self):
                parts = urlsplit(self.path)
                self.query = {name: values[0] for name, values in parse_qs(parts.query).items()}
                self.body = self.read_body()
                route = getattr(self, "on_" + parts.path.split("/")[1], self.on_unknown)
                try:
                    route(parts.path)
                except (KeyError, ValueError) as problem:
                    self.respond(repr(problem).encode(), 500)

            do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

            def read_body(self):
                if "chunked" not in self.headers.get("Transfer-Encoding", ""):
                    return self.rfile.read(int(self.headers.get("Content-Length") or 0))
                body = b""
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return body

            def respond(self, body=b"", status=200, headers=(), kind="text/plain"):
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                if status != 204:
                    self.send_header("Content-Type", kind)
                    self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                if self.command != "HEAD" and status != 204:
                    self.wfile.write(body)

            # Blocks until the client has closed the connection, the event is set, or the time is over.
            def wait_for_client(self, seconds, until=None):
                end = time.monotonic() + seconds
                while time.monotonic() < end and not (until and until.is_set()):
                    if select.select([self.connection], [], [], 0.01)[0]:
                        try:
                            if not self.connection.recv(1, socket.MSG_PEEK):
                                return False
                        except OSError:
                            return False
                return True

            def on_unknown(self, path):
                self.respond(b"there is nothing here", 404)

            def on_hello(self, path):
                self.respond(b"hello", headers=[("X-Greeting", "hi")])

            def on_echo(self, path):
                seen = {
                    "method": self.command,
                    "target": self.path,
                    "headers": [[name.lower(), value] for name, value in self.headers.items()],
                    "length": len(self.body),
                    "sha256": hashlib.sha256(self.body).hexdigest(),
                    "text": self.body[:1000].decode("utf-8", "replace"),
                }
                self.respond(json.dumps(seen).encode(), kind="application/json")

            def on_status(self, path):
                self.respond(b"as asked", int(path.split("/")[2]))

            def on_big(self, path):
                size = int(self.query["bytes"])
                self.respond((PATTERN * (size // len(PATTERN) + 1))[:size], kind="application/octet-stream")

            def on_chunked(self, path):
                self.send_response(200)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for line in range(int(self.query["lines"])):
                    data = b"line %d\n" % line
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                self.wfile.write(b"0\r\n\r\n")

            def on_gzip(self, path):
                self.respond(gzip.compress(b"compressed " * 1000), headers=[("Content-Encoding", "gzip")])

            def on_slow(self, path):
                if self.wait_for_client(float(self.query["seconds"])):
                    self.respond(b"late")
                else:
                    self.close_connection = True

            def on_wait(self, path):
                key = self.query["key"]
                event("arrived", key).set()
                if self.wait_for_client(20, until=event("release", key)):
                    self.respond(b"released")
                else:
                    event("gone", key).set()
                    self.close_connection = True

            def on_drip(self, path):
                key = self.query["key"]
                self.send_response(200)
                self.send_header("Content-Type", "application/octet-stream")
                self.send_header("Content-Length", "1000000")
                self.end_headers()
                self.wfile.write(b"drop")
                self.wfile.flush()
                event("arrived", key).set()
                if not self.wait_for_client(20, until=event("release", key)):
                    event("gone", key).set()
                self.close_connection = True

            def on_release(self, path):
                event("release", self.query["key"]).set()
                self.respond(b"done")

            def on_arrived(self, path):
                self.respond(b"yes" if event("arrived", self.query["key"]).wait(20) else b"no")

            def on_gone(self, path):
                self.respond(b"yes" if event("gone", self.query["key"]).wait(20) else b"no")

            def on_redirect(self, path):
                self.respond(b"", int(self.query.get("status", "302")), [("Location", self.query["to"])])

            def on_loop(self, path):
                self.respond(b"", 302, [("Location", "/loop")])

            def on_basic(self, path):
                self.respond(b"who are you?", 401, [("WWW-Authenticate", 'Basic realm="x"')])

            def on_cut(self, path):
                self.send_response(200)
                self.send_header("Content-Length", "100")
                self.end_headers()
                self.wfile.write(b"only this")
                self.close_connection = True


        class Server(ThreadingHTTPServer):
            daemon_threads = True
            request_queue_size = 128

            def handle_error(self, request, client_address):
                pass


        # A process started from a dispatch thread inherits that thread's signal mask, which would keep SIGTERM out.
        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        servers = [Server(("127.0.0.1", 0), Handler) for _ in range(2)]
        refusing = socket.socket()
        refusing.bind(("127.0.0.1", 0))
        for server in servers:
            threading.Thread(target=server.serve_forever, daemon=True).start()
        print(*[server.server_address[1] for server in servers], refusing.getsockname()[1], flush=True)
        sys.stdin.read()
        os._exit(0)
        """#
}
