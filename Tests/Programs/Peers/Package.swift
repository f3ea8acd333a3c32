// swift-tools-version: 6.2
import Foundation
import PackageDescription

// A package of its own, so that NetKit has no dependencies. `compare.py` says how to run it.
let environment = ProcessInfo.processInfo.environment
var package = Package(
    name: "Peers",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "NetKit", path: "../../..")],
    targets: [
        .target(name: "Measuring"),
        .executableTarget(name: "Sink"),
        .executableTarget(
            name: "NetKitPeer",
            dependencies: ["Measuring", .product(name: "NetKit", package: "NetKit")]
        ),
    ]
)
if let peers = environment["NETKIT_PEERS"] {
    package.dependencies += [
        .package(path: "\(peers)/async-http-client"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.81.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.30.0"),
    ]
    package.targets.append(
        .executableTarget(
            name: "AsyncHTTPClientPeer",
            dependencies: [
                "Measuring",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "_NIOFileSystem", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]
        )
    )
}
