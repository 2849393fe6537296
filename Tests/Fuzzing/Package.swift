// swift-tools-version: 6.3

import PackageDescription

// A package of its own, as the fuzzer brings `main` and wants all that it runs built for it: see `make fuzz-decoders`.
let isStrict = Context.environment["ALCEDO_STRICT"] != nil
let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Alcedo", path: "../..", traits: [.defaults])],
    targets: [
        .executableTarget(
            name: "FuzzDecoders", dependencies: [.product(name: "Alcedo", package: "Alcedo")], path: "FuzzDecoders",
            swiftSettings: [.swiftLanguageMode(.v6)] + (isStrict ? [.treatAllWarnings(as: .error)] : []))
    ])
