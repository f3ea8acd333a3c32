import Foundation
import Testing

/// A program that tests use as a server, a proxy or a client, and that the system has or lacks.
enum Peer: String, CaseIterable, Sendable {
    case curl
    case microsocks
    case nginx
    case openssl
    case pgbouncer
    case postgres
    case python3
    case tinyproxy

    /// The behavior of a test with missing peers.
    enum Verdict: Equatable {
        case run
        /// The text says what to install.
        case skip(String)
    }

    var tool: SystemTool? { self == .postgres ? PostgresServer.tool("postgres") : SystemTool.find(rawValue) }

    /// The name of the Debian package.
    var package: String {
        switch self {
        case .nginx: "nginx-light"
        case .postgres: "postgresql"
        case .tinyproxy: "tinyproxy-bin"
        default: rawValue
        }
    }

    /// The program, or a failure that names its package.
    func required() throws -> SystemTool {
        try #require(tool, "install Debian's \(package)")
    }

    /// The behavior of a test that lacks some peers: in CI, it runs all the same, and fails.
    static func verdict(lacking missing: [Peer], isCI: Bool) -> Verdict {
        missing.isEmpty || isCI ? .run : .skip("install Debian's \(missing.map(\.package).joined(separator: ", "))")
    }

    /// Whether the tests with a database run. They take a minute more, and start servers.
    static let isWithDatabase = ProcessInfo.processInfo.environment["NETKIT_POSTGRES"] == "1"

    /// Whether a run must have every peer. `.ci/run` installs them on Linux only.
    static let isCI: Bool = {
        #if os(Linux)
            ProcessInfo.processInfo.environment["CI"] == "true"
        #else
            false
        #endif
    }()
}

extension Trait where Self == ConditionTrait {
    /// Skips if a peer is missing, and names its package. In CI, nothing is skipped.
    static func needs(_ peers: Peer...) -> ConditionTrait {
        if peers.contains(.postgres), !Peer.isWithDatabase {
            return .disabled("set NETKIT_POSTGRES=1 to run the tests with a database")
        }
        return switch Peer.verdict(lacking: peers.filter { $0.tool == nil }, isCI: Peer.isCI) {
        case .run: .enabled(if: true)
        case .skip(let reason): .disabled("\(reason)")
        }
    }
}
