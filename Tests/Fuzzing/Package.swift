// swift-tools-version: 6.3

import PackageDescription

// A package of its own, as the fuzzer brings `main` and wants all that it runs built for it: see `make fuzz-decoders`.
// ALCEDO_FUZZ_TRAITS names traits that are off by default, with commas between them.
let isStrict = Context.environment["ALCEDO_STRICT"] != nil
let names = Context.environment["ALCEDO_FUZZ_TRAITS"]?.split(separator: ",").map(String.init) ?? []
let traits: Set<Package.Dependency.Trait> = Set([.defaults] + names.map { .trait(name: $0) })
let package = Package(
    name: "Fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Alcedo", path: "../..", traits: traits)],
    targets: [
        .executableTarget(
            name: "FuzzDecoders", dependencies: [.product(name: "Alcedo", package: "Alcedo")], path: "FuzzDecoders",
            swiftSettings: [.swiftLanguageMode(.v6)] + names.map { .define($0) }
                + (isStrict ? [.treatAllWarnings(as: .error)] : []))
    ])
