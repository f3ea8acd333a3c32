import Foundation
import NetKit
import NetKitTestSupport
import NetKitTesting
import Testing

@testable import NetKitPostgres

/// Tests of connections to a server that has a certificate.
@Suite(.needs(.postgres, .openssl), .needsTheMachine)
struct PostgresTLSTests {
    /// A server whose certificate is for `localhost` and 127.0.0.1.
    private static let server = Task {
        let certificates = try await TestCertificates.shared.value
        let folder = try OtherUser.folder()
        let files = ["ssl_cert_file": certificates.certificate(.server), "ssl_key_file": certificates.key(.server)]
        let settings = try files.map { name, file in
            let copy = folder.url.appending(path: name)
            try Data(contentsOf: file).writeUnsynced(to: copy)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path())
            OtherUser.own(copy)
            return "\(name)=\(copy.path())"
        }
        return (try await PostgresServer(["ssl=on"] + settings), folder)
    }

    private let port: UInt16
    private let certificates: TestCertificates

    init() async throws {
        port = try await Self.server.value.0.port.number
        certificates = try await TestCertificates.shared.value
    }

    private func url(_ host: String, _ parameters: [String]) -> String {
        "postgres://postgres@\(host):\(port)/postgres?" + parameters.joined(separator: "&")
    }

    private func trust(_ authority: TestCertificate.Name) -> String {
        "sslrootcert=\(certificates.certificate(authority).path())"
    }

    private func open(_ url: String, _ encryption: Postgres.Encryption = .exceptLoopback) async throws -> Postgres {
        var configuration = Postgres.Configuration()
        (configuration.migrations, configuration.encryption) = (.none, encryption)
        return try await Postgres(url, configuration: configuration)
    }

    private func isEncrypted(_ database: Postgres) async throws -> Bool {
        let statement = Statement("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()", isRepeatable: true)
        let isEncrypted: Bool = try await database.run(statement).one().value("ssl")
        await database.close()
        return isEncrypted
    }

    @Test(
        arguments: ["localhost", "127.0.0.1"],
        [Postgres.Encryption.exceptLoopback, .verified, .fromConnectionString]
    )
    func verifiesTheServer(host: String, encryption: Postgres.Encryption) async throws {
        let mode = encryption == .verified ? [] : ["sslmode=verify-full"]
        let database = try await open(url(host, mode + [trust(.authority)]), encryption)
        #expect(try await isEncrypted(database))
    }

    @Test(arguments: [("disable", false), ("require", true), ("verify-ca", true)])
    func doesWhatTheModeSays(mode: String, isEncrypted: Bool) async throws {
        let database = try await open(url("localhost", ["sslmode=\(mode)", trust(.authority)]))
        #expect(try await self.isEncrypted(database) == isEncrypted)
    }

    /// A record of TLS can be larger than what libpq reads of it at a time.
    @Test func readsResultsOfEverySize() async throws {
        let database = try await open(url("localhost", ["sslmode=require"]))
        for size in stride(from: 1000, through: 80_000, by: 1579) {
            let text = Statement("SELECT repeat('x', \(size)) AS text", isRepeatable: true)
            #expect(try await database.run(text).one().value("text", as: String.self).utf8.count == size)
        }
        await database.close()
    }

    /// OpenSSL frees its locks at the end of a process, unless NetKit initializes it before `URLSession` does.
    @Test(arguments: [[], ["https://127.0.0.1:9/"]])
    func aProcessEndsWhileItsStatementsRun(first: [String]) async throws {
        let ended = try await BuiltCommand.run(
            try #require(BuiltCommand.exitProbe),
            [url("localhost", ["sslmode=verify-full", trust(.authority)])] + first
        )
        #expect(ended.status == 0, "\(ended.notes)")
        #expect(ended.output == (first.isEmpty ? "answered\nflushed\n" : "answered\n"))
    }

    @Test func refusesACertificateOfAnotherAuthority() async throws {
        for encryption in [Postgres.Encryption.verified, .fromConnectionString] {
            let error = await #expect(throws: NetKitError.self) {
                _ = try await open(url("localhost", ["sslmode=verify-full", trust(.otherAuthority)]), encryption)
            }
            #expect(error?.code == .invalidConfiguration)
            #expect(error?.message.contains("Set `sslrootcert`") == true)
        }
    }

    @Test func refusesACertificateOfAnotherName() async throws {
        let error = await #expect(throws: NetKitError.self) {
            let parameters = ["hostaddr=127.0.0.1", "sslmode=verify-full", trust(.authority)]
            _ = try await open(url("other.test", parameters))
        }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains("\"other.test\"") == true)
    }

    @Test(arguments: [
        ("sslmode=verify-full&sslrootcert=/nowhere", "Set `sslrootcert`"),
        ("sslmode=require&sslcert=/dev/null", "Correct `sslcert`"),
    ])
    func namesTheFileThatIsMissing(parameters: String, advice: String) async throws {
        let error = await #expect(throws: NetKitError.self) { _ = try await open(url("localhost", [parameters])) }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains(advice) == true, "\(error?.message ?? "")")
    }

    /// A mode that an attacker could switch off is refused if the certificate has to be verified.
    @Test func verifiesThoughTheURLOnlyPrefersEncryption() async throws {
        let error = await #expect(throws: NetKitError.self) {
            _ = try await open(url("localhost", ["sslmode=prefer", trust(.otherAuthority)]), .verified)
        }
        #expect(error?.code == .invalidConfiguration)
    }
}
