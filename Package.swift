// swift-tools-version: 6.3

import PackageDescription

/// Warnings are errors in builds of this repository, by its Makefile. In a dependency the flag conflicts with the one
/// that suppresses its warnings, and stops the build.
let warnings: [SwiftSetting] = Context.environment["ALCEDO_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]

/// The settings of every Swift target: language mode 6 and the features that mode 7 will bring.
let strict: [SwiftSetting] =
    [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ] + warnings

/// C libraries are used on Linux only: Apple's systems decode with ImageIO and load with URLSession.
func onLinux(_ trait: String) -> TargetDependencyCondition? { .when(platforms: [.linux], traits: [trait]) }

// The privacy manifest makes a bundle, which only apps for Apple's systems need. The condition is about the system that
// reads this file: a resource has no condition of its own.
#if os(macOS)
let (resources, unused): ([Resource], [String]) = ([.process("PrivacyInfo.xcprivacy")], [])
#else
let (resources, unused): ([Resource], [String]) = ([], ["PrivacyInfo.xcprivacy"])
#endif

/// A target of tests of the library.
func libraryTests(
    _ name: String, fixtures: [Target.Dependency] = ["TestFixtures"], exclude: [String] = []
) -> Target {
    .testTarget(
        name: name, dependencies: ["Alcedo", "AlcedoTestSupport"] + fixtures, exclude: exclude, swiftSettings: strict)
}

let package = Package(
    name: "Alcedo",
    platforms: [.macOS(.v15), .iOS(.v18), .macCatalyst(.v18), .tvOS(.v18), .visionOS(.v2)],
    products: [
        .library(name: "Alcedo", targets: ["Alcedo"]),
        .library(name: "AlcedoUI", targets: ["AlcedoUI"]),
        .library(name: "AlcedoTestSupport", targets: ["AlcedoTestSupport"]),
        // `make tool` names it alcedo. Xcode takes two products whose names differ only in case for one.
        .executable(name: "alcedo-tool", targets: ["AlcedoTool"]),
        .executable(name: "bench", targets: ["bench"]),
    ],
    traits: [
        .trait(name: "JPEG", description: "JPEG through the system's libjpeg (Linux)"),
        .trait(name: "PNG", description: "PNG through the system's libpng (Linux)"),
        .trait(name: "GIF", description: "GIF, without a library (on Apple's systems, always there)"),
        .trait(name: "WebP", description: "WebP through the system's libwebp (Linux)"),
        .trait(name: "AVIF", description: "AVIF through the system's libavif (Linux)"),
        .trait(name: "BMP", description: "BMP, ICO and CUR, without a library (on Apple's systems, always there)"),
        .trait(name: "HEIC", description: "HEIC through the system's libheif (Linux); not by default"),
        .trait(name: "TIFF", description: "TIFF through the system's libtiff (Linux); not by default"),
        .trait(name: "JPEGXL", description: "JPEG XL through the system's libjxl (Linux); not by default"),
        .trait(name: "ColorProfiles", description: "Conversion to sRGB through the system's Little CMS (Linux)"),
        .trait(name: "Curl", description: "The default transport on Linux, over the system's libcurl and zlib"),
        .trait(name: "Brotli", description: "Brotli as a coding of bodies, with Curl; not by default"),
        .trait(name: "Zstandard", description: "Zstandard as a coding of bodies, with Curl; not by default"),
        .trait(name: "Encryption", description: "Encrypted stores through the system's libcrypto (Linux)"),
        .default(enabledTraits: ["JPEG", "PNG", "GIF", "WebP", "AVIF", "BMP", "ColorProfiles", "Curl"]),
    ],
    targets: [
        .systemLibrary(
            name: "CJpeg", pkgConfig: "libjpeg", providers: [.apt(["libjpeg-dev"]), .brew(["jpeg-turbo"])]),
        .systemLibrary(name: "CPng", pkgConfig: "libpng", providers: [.apt(["libpng-dev"]), .brew(["libpng"])]),
        .systemLibrary(
            name: "CWebP", pkgConfig: "libwebp", providers: [.apt(["libwebp-dev"]), .brew(["webp"])]),
        .systemLibrary(
            name: "CAvif", pkgConfig: "libavif", providers: [.apt(["libavif-dev"]), .brew(["libavif"])]),
        .systemLibrary(
            name: "CHeif", pkgConfig: "libheif", providers: [.apt(["libheif-dev"]), .brew(["libheif"])]),
        .systemLibrary(
            name: "CTiff", pkgConfig: "libtiff-4", providers: [.apt(["libtiff-dev"]), .brew(["libtiff"])]),
        .systemLibrary(
            name: "CJxl", pkgConfig: "libjxl", providers: [.apt(["libjxl-dev"]), .brew(["jpeg-xl"])]),
        .systemLibrary(
            name: "CLcms", pkgConfig: "lcms2", providers: [.apt(["liblcms2-dev"]), .brew(["little-cms2"])]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"]), .brew(["curl"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
        .systemLibrary(
            name: "CBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"]), .brew(["brotli"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"]), .brew(["zstd"])]),
        .systemLibrary(
            name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"]), .brew(["openssl"])]),
        .target(
            name: "CShims",
            dependencies: [
                .target(name: "CJpeg", condition: onLinux("JPEG")),
                .target(name: "CPng", condition: onLinux("PNG")),
                .target(name: "CTiff", condition: onLinux("TIFF")),
            ],
            cSettings: [
                .define("ALCEDO_JPEG", .when(platforms: [.linux], traits: ["JPEG"])),
                .define("ALCEDO_PNG", .when(platforms: [.linux], traits: ["PNG"])),
                .define("ALCEDO_TIFF", .when(platforms: [.linux], traits: ["TIFF"])),
            ],
            // libpng needs zlib and brings it, with its headers, wherever it comes as a package.
            linkerSettings: [.linkedLibrary("z", .when(platforms: [.linux], traits: ["PNG"]))]),
        .target(name: "CResampling"),
        .target(
            name: "Alcedo",
            dependencies: [
                "CResampling",
                .target(name: "CShims", condition: .when(platforms: [.linux])),
                .target(name: "CWebP", condition: onLinux("WebP")),
                .target(name: "CAvif", condition: onLinux("AVIF")),
                .target(name: "CHeif", condition: onLinux("HEIC")),
                .target(name: "CTiff", condition: onLinux("TIFF")),
                .target(name: "CJxl", condition: onLinux("JPEGXL")),
                .target(name: "CLcms", condition: onLinux("ColorProfiles")),
                .target(name: "CCurl", condition: onLinux("Curl")),
                .target(name: "CZlib", condition: onLinux("Curl")),
                .target(name: "CBrotli", condition: onLinux("Brotli")),
                .target(name: "CZstd", condition: onLinux("Zstandard")),
                .target(name: "CCrypto", condition: onLinux("Encryption")),
            ],
            exclude: unused, resources: resources, swiftSettings: strict),
        // For Apple's systems. On others it is empty; `make apple-check` type-checks it there.
        .target(name: "AlcedoUI", dependencies: ["Alcedo"], swiftSettings: strict),
        .target(name: "AlcedoTestSupport", dependencies: ["Alcedo"], swiftSettings: strict),
        .executableTarget(name: "AlcedoTool", dependencies: ["Alcedo", "AlcedoTestSupport"], swiftSettings: strict),
        .target(name: "CAllocationCounter", path: "Benchmarks/CAllocationCounter"),
        .target(
            name: "CGif", path: "Benchmarks/CGif", linkerSettings: [.linkedLibrary("dl", .when(platforms: [.linux]))]),
        .target(
            name: "CCodecLoops",
            dependencies: [
                .target(name: "CJpeg", condition: onLinux("JPEG")),
                .target(name: "CPng", condition: onLinux("PNG")),
                .target(name: "CHeif", condition: onLinux("HEIC")),
                .target(name: "CTiff", condition: onLinux("TIFF")),
                .target(name: "CJxl", condition: onLinux("JPEGXL")),
            ],
            path: "Benchmarks/CCodecLoops",
            cSettings: [
                .define("BENCH_JPEG", .when(platforms: [.linux], traits: ["JPEG"])),
                .define("BENCH_PNG", .when(platforms: [.linux], traits: ["PNG"])),
                .define("BENCH_HEIC", .when(platforms: [.linux], traits: ["HEIC"])),
                .define("BENCH_TIFF", .when(platforms: [.linux], traits: ["TIFF"])),
                .define("BENCH_JPEGXL", .when(platforms: [.linux], traits: ["JPEGXL"])),
            ]),
        .executableTarget(
            name: "bench",
            dependencies: [
                "Alcedo", "AlcedoTestSupport", "CAllocationCounter", "CCodecLoops", "CGif",
                .target(name: "CWebP", condition: onLinux("WebP")),
                .target(name: "CAvif", condition: onLinux("AVIF")),
            ],
            path: "Benchmarks/bench", swiftSettings: strict),
        // Several targets, because the compiler reads a target in whole for each change in it.
        libraryTests("TestFixtures", fixtures: []),
        libraryTests("ImageTests", exclude: ["Process/References"]),
        libraryTests("CacheTests"),
        libraryTests("DownloadTests"),
        libraryTests("LoaderTests"),
        libraryTests("ChaosTests"),
        .testTarget(
            name: "AlcedoTestSupportTests", dependencies: ["Alcedo", "AlcedoTestSupport"], swiftSettings: strict),
        .testTarget(
            name: "AlcedoToolTests", dependencies: ["AlcedoTool", "Alcedo", "AlcedoTestSupport"], swiftSettings: strict),
        .testTarget(
            name: "ConformanceTests", dependencies: ["Alcedo", "AlcedoTestSupport"], exclude: ["Fixtures"],
            swiftSettings: strict),
        // The files of bench that only compute, linked: bench as a whole brings its own `malloc`.
        .testTarget(name: "BenchTests", swiftSettings: strict),
        .testTarget(name: "AlcedoUITests", dependencies: ["AlcedoUI", "Alcedo"], swiftSettings: strict),
        .testTarget(name: "DocTests", dependencies: ["Alcedo", "AlcedoTestSupport"], swiftSettings: strict),
        .testTarget(name: "IsolationTests", dependencies: ["Alcedo", "AlcedoTestSupport"], swiftSettings: strict),
        // Programs that use the library: they see only what is public.
        .testTarget(
            name: "ExtensionTests", dependencies: ["Alcedo", "AlcedoTestSupport"], path: "Tests/Clients/Extensions",
            packageAccess: false, swiftSettings: strict),
        .testTarget(
            name: "Swift5ClientTests", dependencies: ["Alcedo"], path: "Tests/Clients/Swift5", packageAccess: false,
            swiftSettings: [.swiftLanguageMode(.v5)] + warnings),
        .testTarget(
            name: "MainActorClientTests", dependencies: ["Alcedo"], path: "Tests/Clients/MainActor",
            packageAccess: false,
            swiftSettings: [.swiftLanguageMode(.v6), .defaultIsolation(MainActor.self)] + warnings),
    ]
)

// Some targets of tests alone, named with commas between them. `make test-isolation` builds one, without testable
// modules.
if let only = Context.environment["ALCEDO_ONLY_TESTS"]?.split(separator: ",").map(String.init) {
    package.targets.removeAll { $0.isTest && !only.contains($0.name) }
}
