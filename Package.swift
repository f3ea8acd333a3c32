// swift-tools-version: 6.2
import PackageDescription

// One library in five modules, which a clean build compiles side by side: `import NetKit` brings them all. The core is
// what a call passes through, in one module because a call that crosses from one to another is slower; what is used by
// no other part stands beside it, and `NetKit` itself has what joins two of them.
let folders = [
    "NetKitCore": [
        "Auth", "Client", "Errors", "HTTP", "Headers", "Pipeline", "Redirect", "Resilience", "Retry", "Support",
        "Transport",
    ],
    "NetKitConcerns": ["Cache", "Observability"],
    "NetKitEndpoints": ["Endpoint", "Payload"],
    "NetKitOffline": ["Connectivity", "Offline"],
    "NetKit": ["Exports.swift", "NetKit.docc", "Joined", "Repository"],
]
let parts = ["NetKitCore", "NetKitConcerns", "NetKitEndpoints", "NetKitOffline"]
// Whoever uses the library names all of its modules: SwiftPM does not build anew what depends on a module through another.
let modules = (["NetKit"] + parts).map { Target.Dependency(stringLiteral: $0) }

/// A module of the library: its folders of `Sources/NetKit`, and no others.
func part(_ name: String, dependsOn dependencies: [Target.Dependency]) -> Target {
    let others = folders.filter { $0.key != name }.flatMap(\.value).sorted()
    return .target(name: name, dependencies: dependencies, path: "Sources/NetKit", exclude: others)
}

let package = Package(
    name: "NetKit",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "NetKit", targets: ["NetKit"] + parts),
        .library(name: "NetKitTesting", targets: ["NetKitTesting"]),
        .executable(name: "netkit", targets: ["NetKitCLI"]),
        .executable(name: "netkit-bench", targets: ["NetKitBench"]),
    ],
    targets: [
        .target(name: "CNetKitCurl"),
        .target(name: "CNetKitSystem"),
        part("NetKitCore", dependsOn: ["CNetKitCurl", "CNetKitSystem"]),
        part("NetKitConcerns", dependsOn: ["NetKitCore"]),
        part("NetKitEndpoints", dependsOn: ["NetKitCore"]),
        part("NetKitOffline", dependsOn: ["NetKitCore", "CNetKitSystem"]),
        part("NetKit", dependsOn: parts.map { .init(stringLiteral: $0) }),
        .target(name: "NetKitTesting", dependencies: modules),
        .executableTarget(name: "NetKitCLI", dependencies: modules + ["NetKitTesting"]),
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
