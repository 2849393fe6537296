import Alcedo

/// The options for saving converted images.
struct EncodingOptions: Equatable {
    /// The quality from 0 to 100, for JPEG, WebP and AVIF; nil for the encoder's default.
    var quality: Int?
    var isLossless = false
    var isProgressive = false
    /// The metadata to write. With nil, converted images have none, and other images keep theirs.
    var metadata: MetadataWriting?

    /// Whether an option is given, so that even images that need no conversion are encoded.
    var isGiven: Bool { self != EncodingOptions() }
}

extension EncodingOptions {
    /// The formats to which each option applies.
    private static let formats = [
        "--quality": ["jpeg", "webp", "avif"], "--lossless": ["webp", "png"], "--progressive": ["jpeg"],
        "--metadata": ["jpeg", "png", "webp", "avif"],
    ]

    static let metadata: [(name: String, writing: MetadataWriting)] = [
        ("strip", .strip), ("keep", .keep), ("keep-without-location", .keepWithoutLocation),
    ]

    /// Throws if an option has no effect: nothing is converted, or the format has no such choice.
    init(_ given: Arguments) throws(UsageError) {
        quality = try given.number("--quality", in: 0...100)
        isLossless = given.has("--lossless")
        isProgressive = given.has("--progressive")
        metadata = given.value("--metadata").flatMap { name in Self.metadata.first { $0.name == name }?.writing }
        for (option, formats) in Self.formats.sorted(by: { $0.key < $1.key }) where given.has(option) {
            guard given.has("--output"), given.has("--format") || given.has("--resize") else {
                throw given.refusal("\(option) needs --output, and --format or --resize")
            }
            if let format = given.value("--format"), !formats.contains(format) {
                throw given.refusal("\(option) doesn't apply to \(format)")
            }
        }
        if isLossless, quality != nil { throw given.refusal("--lossless and --quality can't be used together") }
    }
}
