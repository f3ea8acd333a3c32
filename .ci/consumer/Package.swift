// swift-tools-version: 6.2
import PackageDescription

// A user's package: it knows NetKit by its public names only, and sets no compiler switch that NetKit itself sets.
let package = Package(
    name: "Consumer",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    dependencies: [.package(name: "NetKit", path: "../..")],
    targets: [
        .target(name: "Service", dependencies: [.product(name: "NetKit", package: "NetKit")]),
        .target(
            name: "MainActorApp",
            dependencies: [.product(name: "NetKit", package: "NetKit")],
            swiftSettings: [.defaultIsolation(MainActor.self)]
        ),
        .executableTarget(
            name: "ConsumerCheck",
            dependencies: ["Service", "MainActorApp", .product(name: "NetKit", package: "NetKit")]
        ),
        // The programs whose binaries `.ci/footprint` compares.
        .executableTarget(name: "FoundationCall"),
        .executableTarget(name: "NetKitCall", dependencies: [.product(name: "NetKit", package: "NetKit")]),
        .testTarget(
            name: "ServiceTests",
            dependencies: [
                "Service",
                .product(name: "NetKit", package: "NetKit"),
                .product(name: "NetKitTesting", package: "NetKit"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)
