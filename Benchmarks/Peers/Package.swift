// swift-tools-version: 6.3

import PackageDescription

// A package of its own, because Alcedo's has no dependencies. NUKE_PATH names a folder with a copy of Nuke, such as a
// port to Linux; without it, Nuke comes from its repository.
let nuke: Package.Dependency =
    if let path = Context.environment["NUKE_PATH"] {
        .package(name: "Nuke", path: path)
    } else {
        .package(url: "https://github.com/kean/Nuke.git", from: "13.2.0")
    }

let package = Package(
    name: "Peers",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Alcedo", path: "../.."), nuke],
    targets: [
        .executableTarget(
            name: "Peers",
            dependencies: [
                .product(name: "Alcedo", package: "Alcedo"),
                .product(name: "AlcedoTestSupport", package: "Alcedo"),
                .product(name: "Nuke", package: "Nuke"),
            ],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ])
