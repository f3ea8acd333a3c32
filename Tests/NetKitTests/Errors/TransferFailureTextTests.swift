import Foundation
import Testing

@testable import NetKit

/// The texts as libcurl 7.88.1 and 8.x write them.
struct TransferFailureTextTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let text: String
        let code: NetKitError.Code
        let outcome: NetKitError.Outcome

        init(_ text: String, _ code: NetKitError.Code, _ outcome: NetKitError.Outcome) {
            (self.text, self.code, self.outcome) = (text, code, outcome)
        }

        var testDescription: String { text }
    }

    static let rows = [
        Row("Could not resolve host: nowhere.invalid", .dns, .notSent),
        Row("Couldn't resolve host name", .dns, .notSent),
        Row("Resolving timed out after 10000 milliseconds", .dns, .notSent),
        Row("Failed to connect to 10.0.0.1 port 80 after 130 ms: Couldn't connect to server", .connect, .notSent),
        Row("Failed to connect to ::1 port 80: No route to host", .connect, .notSent),
        Row("Could not connect to server", .connect, .notSent),
        Row("Immediate connect fail for 10.0.0.1: Network is unreachable", .connect, .notSent),
        Row("Connection timed out after 10001 milliseconds", .connect, .notSent),
        Row("SSL certificate problem: self-signed certificate", .tls, .notSent),
        Row("SSL: no alternative certificate subject name matches target host name 'a'", .tls, .notSent),
        Row("TLS connect error: error:0A00010B:SSL routines::wrong version number", .tls, .notSent),
        Row("OpenSSL SSL_connect: SSL_ERROR_SYSCALL in connection to a:443", .connect, .notSent),
        Row("OpenSSL SSL_connect: Connection reset by peer in connection to a:443", .connect, .notSent),
        Row("TLS connect error: error:0A000126:SSL routines::unexpected eof while reading", .connect, .notSent),
        Row("gnutls_handshake() failed: The TLS connection was non-properly terminated.", .connect, .notSent),
        Row("GnuTLS, handshake failed: Error in the pull function.", .connect, .notSent),
        Row("GnuTLS recv error (-110): The TLS connection was non-properly terminated.", .connectionLost, .unknown),
        Row("OpenSSL SSL_read: OpenSSL/3.0.11: error:0A000126:SSL routines::unexpected eof", .connectionLost, .unknown),
        Row("OpenSSL SSL_write: Broken pipe, errno 32", .connectionLost, .unknown),
        Row("transfer closed with 5 bytes remaining to read", .connectionLost, .unknown),
        Row("transfer closed with outstanding read data remaining", .connectionLost, .unknown),
        Row("Empty reply from server", .connectionLost, .unknown),
        Row("Recv failure: Connection reset by peer", .connectionLost, .unknown),
        Row("Send failure: Broken pipe", .connectionLost, .unknown),
        Row("necessary data rewind wasn't possible", .connectionLost, .unknown),
        Row("Illegal or missing hexadecimal sequence in chunked-encoding", .invalidResponse, .unknown),
        Row("Received HTTP/0.9 when not allowed", .invalidResponse, .unknown),
        Row("Unsupported HTTP version in response", .invalidResponse, .unknown),
        Row("Header without colon", .invalidResponse, .unknown),
        Row("Too large response headers: 307200 > 307200", .invalidResponse, .unknown),
        Row("Failed writing header", .invalidResponse, .unknown),
        Row("Error while processing content unencoding: invalid stored block lengths", .invalidResponse, .unknown),
        Row("Invalid Content-Length: value", .invalidResponse, .unknown),
        Row("Out of memory", .invalidResponse, .unknown),
        Row("Unsupported response code in HTTP response", .invalidResponse, .unknown),
        Row("Weird server reply", .invalidResponse, .unknown),
        Row("Operation timed out after 1000 milliseconds with 0 bytes received", .timeout, .unknown),
    ]

    @Test(arguments: rows)
    func theTextDeterminesTheError(_ row: Row) throws {
        let error = URLError(.unknown, userInfo: [NSLocalizedDescriptionKey: row.text])
        let translated = try #require(NetKitError(error))

        #expect(translated.code == row.code)
        #expect(translated.outcome == row.outcome)
        #expect(translated.message.contains(row.text))
    }

    @Test func anUnknownTextLeavesTheCodeItsMeaning() throws {
        let error = URLError(.badServerResponse, userInfo: [NSLocalizedDescriptionKey: "quite another thing"])
        #expect(try #require(NetKitError(error)).code == .invalidResponse)
    }

    @Test func aReusedConnectionThatThePeerClosedIsNotAnInvalidResponse() throws {
        let error = URLError(.badServerResponse, userInfo: [NSLocalizedDescriptionKey: "Empty reply from server"])
        #expect(try #require(NetKitError(error)).code == .connectionLost)
    }

    @Test func aCodeThatSaysEnoughIsNotOverruled() throws {
        let error = URLError(.networkConnectionLost, userInfo: [NSLocalizedDescriptionKey: "SSL certificate problem"])
        #expect(try #require(NetKitError(error)).code == .connectionLost)
    }
}
