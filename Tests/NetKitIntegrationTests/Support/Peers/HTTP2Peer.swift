import Foundation
import NetKitTesting
import Testing

/// A server over HTTP/2, in Python, that does what no real server does.
final class HTTP2Peer: Sendable {
    /// The conduct of a server: a function `serve` in Python, which gets a connection and its number from 0.
    struct Conduct: Sendable {
        fileprivate let script: String
    }

    let certificates: TestCertificates
    private let process: RunningProcess
    private let port: Int

    /// Starts a server, and returns it once it listens.
    init(_ conduct: Conduct) async throws {
        certificates = try await TestCertificates.shared.value
        let python = try Peer.python3.required()
        let files = [certificates.certificate(.server), certificates.key(.server)]
        process = try RunningProcess(
            URL(fileURLWithPath: python.path),
            ["-u", "-c", Self.beginning + conduct.script + Self.end] + files.map { $0.path() }
        )
        let number = await Int(process.firstLine())
        port = try #require(number, "the server in Python did not start")
    }

    /// The URL of the server.
    func url() throws -> URL { try #require(URL(string: "https://localhost:\(port)/")) }

    /// Ends the server's process.
    func stop() async { await process.stop() }

    private static let beginning = #"""
        import ctypes, itertools, os, signal, socket, ssl, struct, sys, threading, time

        SETTINGS = bytes(3) + b"\x04" + bytes(5)


        def exactly(connection, count):
            data = b""
            while len(data) < count:
                part = connection.recv(count - len(data))
                if not part:
                    raise OSError
                data += part
            return data


        def requests(connection):
            secured = context.wrap_socket(connection, server_side=True)
            exactly(secured, 24)
            secured.sendall(SETTINGS)
            while True:
                head = exactly(secured, 9)
                exactly(secured, int.from_bytes(head[:3], "big"))
                if head[3] == 1:
                    yield secured, head[5:9]


        """#

    private static let end = #"""


        def accept():
            for number in itertools.count():
                connection, _ = server.accept()
                threading.Thread(target=serve, args=(connection, number), daemon=True).start()


        signal.pthread_sigmask(signal.SIG_SETMASK, [])
        # The second one offers no HTTP/2.
        context, plain = (ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER) for _ in range(2))
        for each in (context, plain):
            each.load_cert_chain(sys.argv[1], sys.argv[2])
        context.set_alpn_protocols(["h2"])
        server = socket.create_server(("127.0.0.1", 0), backlog=128)
        threading.Thread(target=accept, daemon=True).start()
        print(server.getsockname()[1], flush=True)
        sys.stdin.read()
        os._exit(0)
        """#
}

extension HTTP2Peer.Conduct {
    /// A server that pings its clients, takes no more of a body than the first window, and never responds.
    static let pinging = Self(
        script: #"""
            PING = b"\x00\x00\x08\x06" + bytes(5) + bytes(8)


            def serve(connection, number):
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
            """#
    )

    /// A server that responds with status 200 and the number of the connection in the field `n`, and ends no body.
    static let endless = Self(
        script: #"""
            def serve(connection, number):
                fields = b"\x88\x00\x01n" + bytes([len(str(number))]) + str(number).encode()
                try:
                    for secured, stream in requests(connection):
                        secured.sendall(len(fields).to_bytes(3, "big") + b"\x01\x04" + stream + fields)
                except OSError:
                    pass
            """#
    )

    /// A server that takes all of the second request's body, and responds to the first request alone.
    ///
    /// The second request and every sixtieth after it add a byte to the body of that response.
    static let counting = Self(
        script: #"""
            def window(stream):
                return b"\x00\x00\x04\x08\x00" + stream + b"\x7f\xff\x00\x00"


            def serve(connection, number):
                try:
                    for count, (secured, stream) in enumerate(requests(connection)):
                        if count == 0:
                            # The window of the connection, and the status 200.
                            secured.sendall(window(bytes(4)) + b"\x00\x00\x01\x01\x04" + stream + b"\x88")
                        if count == 1:
                            secured.sendall(window(stream))
                        if count % 60 == 1:
                            secured.sendall(b"\x00\x00\x01\x00\x00\x00\x00\x00\x01" + b"x")
                except OSError:
                    pass
            """#
    )

    /// A server that refuses the second request of its first connection, and closes the third one, which has no HTTP/2,
    /// once it has read a request.
    ///
    /// The other connections, without HTTP/2 as well, get a response and are closed.
    static let refusing = Self(
        script: #"""
            RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


            def serve(connection, number):
                try:
                    if number == 0:
                        for secured, stream in requests(connection):
                            if stream == b"\0\0\0\1":
                                secured.sendall(b"\x00\x00\x01\x01\x05" + stream + b"\x88")
                            else:
                                # The stream was refused before anything was processed.
                                secured.sendall(b"\x00\x00\x04\x03\x00" + stream + b"\x00\x00\x00\x07")
                        return
                    secured = plain.wrap_socket(connection, server_side=True)
                    secured.recv(65536)
                    if number != 2:
                        secured.sendall(RESPONSE)
                except OSError:
                    pass
            """#
    )

    /// A server that demands HTTP/1.1 once it has the first part of a body over HTTP/2, and takes no HTTP/2 after that.
    static let downgrading = Self(
        script: #"""
            def serve(connection, number):
                connection.settimeout(5)
                try:
                    if number == 0:
                        for secured, stream in requests(connection):
                            kind = None
                            while kind != 0:
                                head = exactly(secured, 9)
                                exactly(secured, int.from_bytes(head[:3], "big"))
                                kind = head[3]
                            secured.sendall(b"\x00\x00\x04\x03\x00" + stream + b"\x00\x00\x00\x0d")
                        return
                    secured = plain.wrap_socket(connection, server_side=True)
                    reader = secured.makefile("rb")
                    length = None
                    while (line := reader.readline()) != b"\r\n":
                        if line.lower().startswith(b"content-length:"):
                            length = int(line.split(b":")[1])
                    if length is not None:
                        if len(reader.read(length)) < length:
                            return
                    else:
                        # The last chunk.
                        while reader.readline() not in (b"0\r\n", b""):
                            pass
                        reader.readline()
                    secured.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
                except OSError:
                    pass
            """#
    )

    /// A server that refuses the second request of its first connection, and responds to all others.
    static let refusingOnce = Self(
        script: #"""
            def serve(connection, number):
                try:
                    for count, (secured, stream) in enumerate(requests(connection)):
                        if (number, count) == (0, 1):
                            secured.sendall(b"\x00\x00\x04\x03\x00" + stream + b"\x00\x00\x00\x07")
                        else:
                            secured.sendall(b"\x00\x00\x01\x01\x05" + stream + b"\x88")
                except OSError:
                    pass
            """#
    )

    /// A server that responds with status 200, and whose first connection is cut off without a sign.
    ///
    /// The kernel lets nothing more in on that connection after the first request, and so acknowledges nothing, as
    /// after a fault of the network or of the machine. Later connections work.
    static let vanishing = Self(
        script: #"""
            # A socket filter that lets nothing in, so that the kernel acknowledges nothing either.
            NOTHING = ctypes.create_string_buffer(struct.pack("=HBBI", 0x06, 0, 0, 0))


            def serve(connection, number):
                try:
                    for secured, stream in requests(connection):
                        if number == 0:
                            program = struct.pack("@HP", 1, ctypes.addressof(NOTHING))
                            secured.setsockopt(socket.SOL_SOCKET, 26, program)
                        # The status 200, and the end of the stream.
                        secured.sendall(b"\x00\x00\x01\x01\x05" + stream + b"\x88")
                except OSError:
                    pass
            """#
    )
}
