// swift-tools-version: 6.3

import PackageDescription

let alcedo = Target.Dependency.product(name: "Alcedo", package: "Alcedo")
let support = Target.Dependency.product(name: "AlcedoTestSupport", package: "Alcedo")

let package = Package(
    name: "SharedStore",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Alcedo", path: "../..")],
    targets: [
        .target(name: "BlockingExecutor"),
        .target(name: "RedisStore", dependencies: ["BlockingExecutor", alcedo]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .target(name: "SQLiteStore", dependencies: ["BlockingExecutor", "CSQLite", alcedo]),
        // One process of a fleet, for the tests.
        .executableTarget(name: "FleetWorker", dependencies: ["RedisStore", alcedo]),
        .testTarget(name: "RedisStoreTests", dependencies: ["FleetWorker", "RedisStore", alcedo, support]),
        .testTarget(name: "SQLiteStoreTests", dependencies: ["SQLiteStore", alcedo, support]),
    ]
)
