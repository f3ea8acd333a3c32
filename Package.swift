// swift-tools-version: 6.2
import PackageDescription

// One library in four modules, which a clean build compiles side by side: `import NetKit` brings them all. The concerns
// and what stands between a request and a bad network are used by no other part of the core.
let concerns = ["Auth", "Cache", "Observability", "Repository"]
let offline = ["Connectivity", "Offline", "Resilience"]
let core = [
    "Client", "Endpoint", "Errors", "HTTP", "Headers", "Payload", "Pipeline", "Redirect", "Retry", "Support",
    "Transport",
]
let guide = ["Exports.swift", "NetKit.docc"]
// Whoever uses the library names all of its modules: SwiftPM does not build anew what depends on a module through another.
let modules: [Target.Dependency] = ["NetKit", "NetKitCore", "NetKitConcerns", "NetKitOffline"]

let package = Package(
    name: "NetKit",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "NetKit", targets: ["NetKit", "NetKitCore", "NetKitConcerns", "NetKitOffline"]),
        .library(name: "NetKitTesting", targets: ["NetKitTesting"]),
        .executable(name: "netkit", targets: ["NetKitCLI"]),
        .executable(name: "netkit-bench", targets: ["NetKitBench"]),
    ],
    targets: [
        .target(name: "CNetKitCurl"),
        .target(name: "CNetKitSystem"),
        .target(
            name: "NetKit",
            dependencies: ["NetKitCore", "NetKitConcerns", "NetKitOffline"],
            exclude: core + concerns + offline
        ),
        .target(
            name: "NetKitCore",
            dependencies: ["CNetKitCurl", "CNetKitSystem"],
            path: "Sources/NetKit",
            exclude: concerns + offline + guide
        ),
        .target(
            name: "NetKitConcerns",
            dependencies: ["NetKitCore"],
            path: "Sources/NetKit",
            exclude: core + offline + guide
        ),
        .target(
            name: "NetKitOffline",
            dependencies: ["NetKitCore", "CNetKitSystem"],
            path: "Sources/NetKit",
            exclude: core + concerns + guide
        ),
        .target(name: "NetKitTesting", dependencies: modules),
        .executableTarget(name: "NetKitCLI", dependencies: modules),
        // For tests that kill it, cut its power or fill its disk; users do not get it.
        .executableTarget(name: "NetKitQueueProbe", dependencies: modules),
        // For suites that judge the cache from outside; users do not get it.
        .executableTarget(name: "NetKitCacheBridge", dependencies: modules),
        .target(name: "CNetKitBenchFloor", dependencies: ["CNetKitCurl"]),
        .executableTarget(
            name: "NetKitBench",
            dependencies: modules + ["NetKitTesting", "CNetKitCurl", "CNetKitBenchFloor"]
        ),
        .testTarget(name: "NetKitTests", dependencies: modules + ["NetKitTesting"], exclude: ["Vectors"]),
        .testTarget(name: "NetKitBenchTests", dependencies: modules + ["NetKitBench", "NetKitTesting"]),
        .testTarget(name: "NetKitIntegrationTests", dependencies: modules + ["NetKitTesting"]),
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
