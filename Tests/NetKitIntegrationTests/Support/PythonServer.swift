import Foundation
import NetKit
import NetKitTesting
import Testing

/// A server in a process of its own, for behavior that has to be seen over a real socket.
///
/// A suite with the trait `.pythonServer` has one for all of its tests; `current` is it.
final class PythonServer: Sendable {
    /// The server of the suite that is running.
    @TaskLocal static var current: PythonServer?

    /// The URL of the server.
    let base: URL
    /// The same server under another origin.
    let otherBase: URL
    /// A port of this machine on which nothing listens.
    let refusingBase: URL

    private let process: RunningProcess

    /// Starts a server, and returns it once it listens.
    init(in folder: URL) async throws {
        let script = folder.appending(path: "server.py")
        try Data(Self.script.utf8).writeUnsynced(to: script)
        let python = try Peer.python3.required()
        process = try RunningProcess(URL(fileURLWithPath: python.path), ["-u", script.path()])
        let ports = await process.firstLine().split(separator: " ").compactMap { Int($0) }
        try #require(ports.count == 3, "the server did not start")
        let bases = try ports.map { try #require(URL(string: "http://127.0.0.1:\($0)")) }
        (base, otherBase, refusingBase) = (bases[0], bases[1], bases[2])
    }

    /// Ends the server's process.
    func stop() async {
        await process.stop()
    }
}

extension PythonServer {
    /// Waits until the request with a key has arrived, and returns false if it does not.
    func hasArrived(_ key: String) async throws -> Bool {
        try await ask("/arrived?key=\(key)") == "yes"
    }

    /// Waits until the connection of the request with a key was closed from the client's side.
    func isGone(_ key: String) async throws -> Bool {
        try await ask("/gone?key=\(key)") == "yes"
    }

    /// Lets the server respond to the request with a key.
    func release(_ key: String) async throws {
        _ = try await ask("/release?key=\(key)")
    }

    private func ask(_ path: RequestPath) async throws -> String {
        let client = HTTPClient(baseURL: base, transport: URLSessionTransport(), interceptors: [])
        return try await client.send(.get(path))
    }
}

/// Runs one server around all tests of a suite.
struct PythonServerTrait: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        let folder = try TemporaryFolder()
        let server = try await PythonServer(in: folder.url)
        let result: Result<Void, any Error>
        do {
            result = .success(try await PythonServer.$current.withValue(server) { try await function() })
        } catch {
            result = .failure(error)
        }
        await server.stop()
        try result.get()
    }
}

extension Trait where Self == PythonServerTrait {
    /// One server for the whole suite.
    static var pythonServer: PythonServerTrait { PythonServerTrait() }
}
