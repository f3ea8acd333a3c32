/// An empty database of one test, on the server of this run of the tests.
struct TestDatabase: Sendable {
    let server: PostgresServer
    let name: String

    init() async throws {
        server = try await PostgresServer.shared.value
        name = try await server.makeDatabase()
    }

    var url: String { server.url(name) }

    /// The URL by another port of the loopback interface, such as that of a proxy.
    func url(port: UInt16) -> String { server.url(name, port: port) }

    /// Runs SQL with psql, and returns its output: a line for each row, without heads.
    @discardableResult
    func sql(_ text: String) async throws -> String { try await server.sql(text, in: name) }
}
