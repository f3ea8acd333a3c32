// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "NetKit",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "NetKit", targets: ["NetKit"]),
        .library(name: "NetKitPostgres", targets: ["NetKitPostgres"]),
        .library(name: "NetKitTesting", targets: ["NetKitTesting"]),
        .executable(name: "netkit", targets: ["NetKitCLI"]),
    ],
    targets: [
        .target(name: "CNetKitSystem"),
        .target(name: "CNetKitCurl", dependencies: ["CNetKitSystem"]),
        .target(name: "CNetKitPostgres", dependencies: ["CNetKitSystem"]),
        .target(name: "NetKit", dependencies: ["CNetKitCurl", "CNetKitSystem"]),
        .target(name: "NetKitPostgres", dependencies: ["NetKit", "CNetKitPostgres"]),
        .target(name: "NetKitTesting", dependencies: ["NetKit"]),
        .executableTarget(name: "NetKitCLI", dependencies: ["NetKit", "NetKitPostgres", "NetKitTesting"]),
        // The bench is not a product, so the target itself has the name of the command.
        .target(name: "CNetKitBenchFloor", dependencies: ["CNetKitCurl"]),
        .executableTarget(
            name: "netkit-bench",
            dependencies: ["NetKit", "NetKitPostgres", "NetKitTesting", "CNetKitCurl", "CNetKitBenchFloor"],
            path: "Sources/NetKitBench"
        ),
        .target(name: "NetKitTestSupport", dependencies: ["NetKit"], path: "Tests/Support"),
        .testTarget(
            name: "NetKitTests",
            dependencies: ["CNetKitSystem", "NetKit", "NetKitPostgres", "NetKitTesting", "NetKitTestSupport"],
            exclude: ["Vectors"]
        ),
        .testTarget(name: "NetKitBenchTests", dependencies: ["NetKit", "netkit-bench", "NetKitTesting"]),
        .testTarget(
            name: "NetKitIntegrationTests",
            dependencies: [
                "NetKit", "NetKitPostgres", "NetKitTesting", "NetKitTestSupport", "NetKitQueueProbe",
                "NetKitCacheBridge", "NetKitExitProbe", "NetKitNameProbe", "NetKitReplicaProbe", "NetKitTokenProbe",
            ]
        ),
        // Programs that tests kill, cut the power of, or observe from outside.
        .executableTarget(name: "NetKitQueueProbe", dependencies: ["NetKit"], path: "Tests/Programs/QueueProbe"),
        .executableTarget(
            name: "NetKitTokenProbe",
            dependencies: ["NetKit", "NetKitPostgres"],
            path: "Tests/Programs/TokenProbe"
        ),
        .executableTarget(
            name: "NetKitReplicaProbe",
            dependencies: ["NetKit", "NetKitPostgres"],
            path: "Tests/Programs/ReplicaProbe"
        ),
        .executableTarget(
            name: "NetKitExitProbe",
            dependencies: ["NetKit", "NetKitPostgres"],
            path: "Tests/Programs/ExitProbe"
        ),
        .executableTarget(name: "NetKitCacheBridge", dependencies: ["NetKit"], path: "Tests/Programs/CacheBridge"),
        .executableTarget(
            name: "NetKitNameProbe",
            dependencies: ["NetKit", "NetKitTesting"],
            path: "Tests/Programs/NameProbe"
        ),
    ],
    swiftLanguageModes: [.v6]
)

// The same settings for every target. `.ci/run` sets flags that must not affect dependents, such as warnings as errors.
for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}

// Every public type of a library says whether it is `Sendable`.
for target in package.targets where ["NetKit", "NetKitPostgres", "NetKitTesting"].contains(target.name) {
    target.swiftSettings?.append(.treatWarning("ExplicitSendable", as: .error))
}
