// swift-tools-version: 6.3

import PackageDescription

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Alcedo", path: "..")],
    targets: [
        .executableTarget(name: "ThumbnailWorker", dependencies: [.product(name: "Alcedo", package: "Alcedo")]),
        .target(name: "Feed", dependencies: [.product(name: "Alcedo", package: "Alcedo")]),
        .target(name: "NukePort", dependencies: [.product(name: "Alcedo", package: "Alcedo")]),
        .testTarget(
            name: "FeedTests",
            dependencies: [
                "Feed", .product(name: "Alcedo", package: "Alcedo"),
                .product(name: "AlcedoTestSupport", package: "Alcedo"),
            ]),
        .testTarget(
            name: "NukePortTests",
            dependencies: [
                "NukePort", .product(name: "Alcedo", package: "Alcedo"),
                .product(name: "AlcedoTestSupport", package: "Alcedo"),
            ]),
        .testTarget(
            name: "ThumbnailWorkerTests",
            dependencies: [
                "ThumbnailWorker", .product(name: "Alcedo", package: "Alcedo"),
                .product(name: "AlcedoTestSupport", package: "Alcedo"),
            ]),
    ]
)
