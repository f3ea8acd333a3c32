import Foundation
import NetKit
import NetKitTesting

/// The hidden subcommand that runs the servers, so that their CPU is not counted among the contenders'.
///
/// It prints their addresses in one line of JSON, and ends when its standard input ends.
enum ServeCommand {
    static func run(_ choice: ServerChoice) throws {
        let other = try MockServer()
        // The response begins after 20 ms and takes two seconds, so that a call can be cancelled at every stage of it.
        other.on(
            .get,
            "/slow",
            .data(Data(count: 64 << 10)).pausing(.milliseconds(20)).dripping(bytesPerSecond: 32 << 10)
        )
        let small = Data(repeating: UInt8(ascii: "x"), count: ServerAddress.smallSize)
        other.on(.get, "/held", .data(small, contentType: "application/octet-stream").pausing(.milliseconds(500)))
        ProcessLimits.raiseDescriptors()
        other.forgetRegularly()
        let shut = try MockServer()
        try shut.refuseConnections()
        let nginx = choice == .mock ? nil : try Nginx.start()
        if choice == .nginx, nginx == nil { throw BenchError("nginx is not installed.") }
        defer { nginx?.stop() }
        if nginx == nil { addFastRoutes(to: other) }
        let address = ServerAddress(
            name: nginx?.version ?? "MockServer",
            fast: nginx.flatMap { URL(string: "http://127.0.0.1:\($0.port)/") } ?? other.baseURL,
            secure: nginx?.secure,
            slow: other.baseURL,
            refused: shut.baseURL
        )
        FileHandle.standardOutput.write(try JSONEncoder().encode(address) + Data("\n".utf8))
        while !FileHandle.standardInput.availableData.isEmpty {}
        other.stop()
        shut.stop()
    }

    private static func addFastRoutes(to server: MockServer) {
        let small = Data(repeating: UInt8(ascii: "x"), count: ServerAddress.smallSize)
        server.on(.get, "/small", .data(small, contentType: "application/octet-stream"))
        server.on(.get, "/large", .data(Data(count: ServerAddress.largeSize), contentType: "application/octet-stream"))
        let patterned = Pattern.data(ServerAddress.patternedSize)
        server.on(.get, "/patterned", .data(patterned, contentType: "application/octet-stream"))
        server.on(.post, "/upload", .text("done"))
    }
}
