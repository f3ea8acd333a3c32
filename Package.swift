// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "NetKit",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "NetKit", targets: ["NetKit"]),
        .library(name: "NetKitTesting", targets: ["NetKitTesting"]),
        .executable(name: "netkit", targets: ["NetKitCLI"]),
        .executable(name: "netkit-bench", targets: ["NetKitBench"]),
    ],
    targets: [
        .target(name: "CNetKitCurl"),
        .target(name: "CNetKitSystem"),
        .target(name: "NetKit", dependencies: ["CNetKitCurl", "CNetKitSystem"]),
        .target(name: "NetKitTesting", dependencies: ["NetKit"]),
        .executableTarget(name: "NetKitCLI", dependencies: ["NetKit"]),
        // For tests that kill it, cut its power or fill its disk; users do not get it.
        .executableTarget(name: "NetKitQueueProbe", dependencies: ["NetKit"]),
        // For suites that judge the cache from outside; users do not get it.
        .executableTarget(name: "NetKitCacheBridge", dependencies: ["NetKit"]),
        .target(name: "CNetKitBenchFloor", dependencies: ["CNetKitCurl"]),
        .executableTarget(
            name: "NetKitBench",
            dependencies: ["NetKit", "NetKitTesting", "CNetKitCurl", "CNetKitBenchFloor"]
        ),
        .testTarget(name: "NetKitTests", dependencies: ["NetKit", "NetKitTesting"], exclude: ["Vectors"]),
        .testTarget(name: "NetKitBenchTests", dependencies: ["NetKitBench", "NetKit", "NetKitTesting"]),
        .testTarget(name: "NetKitIntegrationTests", dependencies: ["NetKit", "NetKitTesting"]),
    ],
    swiftLanguageModes: [.v6]
)

// One list for every target. Strictness that would reach dependents (warnings as errors) lives in `.ci/run`.
for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}
