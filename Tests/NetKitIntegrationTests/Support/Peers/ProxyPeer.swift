import Foundation
import NetKitTesting
import Testing

/// A proxy in a process of its own: tinyproxy for HTTP and CONNECT, or microsocks for SOCKS5.
final class ProxyPeer: Sendable {
    enum Kind: CaseIterable, Sendable {
        case http
        case socks5

        var peer: Peer { self == .http ? .tinyproxy : .microsocks }
    }

    static let user = "proxy-user"
    static let password = "proxy-password"

    let kind: Kind
    private let port: ReservedPort
    private let folder: RunFolder

    /// Starts one, which requires `user` and `password` from its clients, or nothing.
    ///
    /// Without a password, tinyproxy responds with 407, and to a wrong one with 401.
    init(_ kind: Kind, wantsPassword: Bool = false) async throws {
        let executable = try kind.peer.required().path
        let port = try ReservedPort()
        (self.kind, self.port) = (kind, port)
        folder = try RunFolder { folder in
            switch kind {
            case .http:
                let file = folder.appending(path: "tinyproxy.conf")
                try Data(Self.configuration(port.number, wantsPassword).utf8).writeUnsynced(to: file)
                return [executable, "-d", "-c", file.path()]
            case .socks5:
                let login = wantsPassword ? ["-u", Self.user, "-P", Self.password] : []
                return [executable, "-i", "127.0.0.1", "-p", String(port.number)] + login
            }
        }
        try await folder.waitForListeners(at: [port])
    }

    /// Ends the process, and waits until it is gone.
    func stop() async {
        await folder.remove()
    }

    /// The URL without user and password. A SOCKS proxy gets names of hosts, and resolves them itself.
    var url: URL {
        get throws {
            let scheme = kind == .http ? "http" : "socks5h"
            return try #require(URL(string: "\(scheme)://127.0.0.1:\(port.number)"))
        }
    }

    /// The log of the requests so far.
    var notes: String { folder.output }

    private static func configuration(_ port: UInt16, _ wantsPassword: Bool) -> String {
        """
        Port \(port)
        Listen 127.0.0.1
        Timeout 60
        MaxClients 100
        LogLevel Connect
        ViaProxyName "netkit-tests"
        \(wantsPassword ? "BasicAuth \(user) \(password)" : "")

        """
    }
}
