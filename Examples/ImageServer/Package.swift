// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "ImageServer",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "image-server", targets: ["ImageServer"]),
        .executable(name: "memory-server", targets: ["MemoryServer"]),
    ],
    dependencies: [
        .package(name: "Alcedo", path: "../.."),
        .package(url: "https://github.com/apple/swift-crypto", "3.0.0"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing", from: "1.3.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.10.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.7.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
    ],
    targets: [
        .executableTarget(name: "ImageServer", dependencies: ["ImageService"]),
        // The baseline of bench.sh.
        .executableTarget(name: "MemoryServer", dependencies: ["ImageService"]),
        .target(
            name: "ImageService",
            dependencies: [
                "Adapters", .product(name: "Alcedo", package: "Alcedo"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .target(
            name: "Adapters",
            dependencies: [
                .product(name: "Alcedo", package: "Alcedo"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
            ]),
        .testTarget(
            name: "ImageServerTests",
            dependencies: [
                "ImageServer", "ImageService", .product(name: "Alcedo", package: "Alcedo"),
                .product(name: "AlcedoTestSupport", package: "Alcedo"),
            ]),
        .testTarget(
            name: "AdapterTests",
            dependencies: [
                "Adapters", .product(name: "Alcedo", package: "Alcedo"),
                .product(name: "AlcedoTestSupport", package: "Alcedo"),
                .product(name: "InMemoryLogging", package: "swift-log"),
                .product(name: "InMemoryTracing", package: "swift-distributed-tracing"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ]),
    ]
)
