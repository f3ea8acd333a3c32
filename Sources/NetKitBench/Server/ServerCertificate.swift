import Foundation

/// A private authority and its certificate for loopback, created with the `openssl` command.
struct ServerCertificate: Sendable {
    let certificate: URL
    let key: URL
    /// A file with the system's authorities and the private one, so that parsing it takes as long as in production.
    let authorities: URL

    /// The places at which systems keep the trusted authorities.
    private static let bundles = [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ]

    /// Creates the authority and the certificate; `nil` if there is no `openssl`.
    static func make(in folder: URL) throws -> ServerCertificate? {
        guard let openssl = Nginx.find("openssl") else { return nil }
        func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }
        let extensions = "basicConstraints=CA:FALSE\nsubjectAltName=DNS:localhost,IP:127.0.0.1\n"
        try Data(extensions.utf8).write(to: folder.appending(path: "extensions"))
        let newKey = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout"]
        let commands = [
            ["req", "-x509", "-days", "2", "-subj", "/CN=NetKit bench", "-out", path("authority.pem")]
                + newKey + [path("authority.key")],
            ["req", "-subj", "/CN=localhost", "-out", path("request.pem")] + newKey + [path("server.key")],
            [
                "x509", "-req", "-days", "2", "-set_serial", "1", "-in", path("request.pem"), "-CA",
                path("authority.pem"), "-CAkey", path("authority.key"), "-extfile", path("extensions"), "-out",
                path("server.pem"),
            ],
        ]
        for command in commands {
            let process = Process()
            process.executableURL = openssl
            process.arguments = command
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.runWithSignals()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else {
                throw BenchError("openssl \(command[0]) ended with \(process.terminationStatus).")
            }
        }
        let own = try Data(contentsOf: folder.appending(path: "authority.pem"))
        let systems = bundles.lazy.compactMap { try? Data(contentsOf: URL(fileURLWithPath: $0)) }.first ?? Data()
        let authorities = folder.appending(path: "authorities.pem")
        try (systems + Data("\n".utf8) + own).write(to: authorities)
        return ServerCertificate(
            certificate: folder.appending(path: "server.pem"),
            key: folder.appending(path: "server.key"),
            authorities: authorities
        )
    }
}
