import Foundation
import NetKitTesting

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A server that speaks just enough of PostgreSQL's protocol for a few statements, with responses that a test chooses.
final class ScriptedPostgres: Sendable {
    /// A response, as the bytes of messages.
    enum Response {
        /// One row with the values that the introduction of a connection and a statement ask for.
        static let row: Data = {
            let columns = field("process") + field("one")
            let values = number(4, 4) + number(processID, 4) + number(4, 4) + number(1, 4)
            return message("1") + message("2") + message("T", number(2, 2) + columns)
                + message("D", number(2, 2) + values) + message("C", text("SELECT 1")) + ready
        }()

        /// The end of a statement, without a result.
        static let end = ready
        /// No bytes, because the response comes with a later one.
        static let later = Data()
        /// The error of a statement, after which the connection continues.
        static let error = problem("ERROR", "57014") + ready
        /// The error with which a server ends a connection.
        static let fatalError = problem("FATAL", "57P01")

        private static func problem(_ severity: String, _ state: String) -> Data {
            let fields = [("S", severity), ("V", severity), ("C", state), ("M", "no")]
            return message("E", fields.reduce(Data()) { $0 + Data($1.0.utf8) + text($1.1) } + Data([0]))
        }

        private static func field(_ name: String) -> Data {
            text(name) + number(0, 4) + number(0, 2) + number(23, 4) + number(4, 2) + number(-1, 4) + number(1, 2)
        }
    }

    private static let processID = 77
    private static let ready = message("Z", Data("I".utf8))

    /// The URL of the server, whose connections are not encrypted.
    let url: String
    private let listener: ServerSocket

    /// Starts a server.
    ///
    /// `respond` gets the number of a connection and of a statement on it, both from 1, and returns the bytes to send;
    /// `nil` ends the connection.
    init(_ respond: @escaping @Sendable (_ connection: Int, _ statement: Int) -> Data?) throws {
        listener = try ServerSocket.bound(to: 0)
        try listener.startListening()
        // Its thread waits in `accept`.
        _ = fcntl(listener.descriptor, F_SETFL, 0)
        url = "postgres://a@127.0.0.1:\(listener.localPort)/a?sslmode=disable&gssencmode=disable"
        Thread { [listener] in
            var number = 0
            while let client = listener.acceptConnection() {
                _ = fcntl(client.descriptor, F_SETFL, 0)
                number += 1
                let connection = number
                Thread {
                    Self.serve(client) { respond(connection, $0) }
                    client.closeAtOnce()
                }
                .start()
            }
        }
        .start()
    }

    deinit { listener.shutDownBothSides() }

    private static func serve(_ client: ServerSocket, _ respond: (Int) -> Data?) {
        func receive(_ count: Int) -> Data? {
            var data = Data(count: count)
            var received = 0
            while received < count {
                let more = data.withUnsafeMutableBytes { bytes in
                    client.receive(into: UnsafeMutableRawBufferPointer(rebasing: bytes[received...]))
                }
                guard more > 0 else { return nil }
                received += more
            }
            return data
        }
        func length() -> Int? { receive(4).map { $0.reduce(0) { $0 << 8 | Int($1) } - 4 } }
        guard let startup = length(), receive(startup) != nil else { return }
        // With these, libpq need not ask whether the server takes changes.
        let states = [("server_version", "15.0"), ("in_hot_standby", "off"), ("default_transaction_read_only", "off")]
        let parameters = states.reduce(Data()) { $0 + message("S", text($1.0) + text($1.1)) }
        let key = message("K", number(processID, 4) + number(0, 4))
        guard client.sendAll(message("R", number(0, 4)) + parameters + key + ready, onSent: { _ in }) else { return }
        var statement = 0
        while let kind = receive(1)?.first, let count = length(), receive(count) != nil {
            // The end of a statement, or a script.
            guard kind == UInt8(ascii: "S") || kind == UInt8(ascii: "Q") else { continue }
            statement += 1
            guard let response = respond(statement), client.sendAll(response, onSent: { _ in }) else { return }
        }
    }

    private static func message(_ kind: String, _ body: Data = Data()) -> Data {
        Data(kind.utf8) + number(body.count + 4, 4) + body
    }

    private static func text(_ text: String) -> Data { Data(text.utf8) + Data([0]) }

    private static func number(_ value: Int, _ size: Int) -> Data {
        Data((0..<size).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }
}
