import Alcedo

/// The options of the commands that decode images.
struct DecodeOptions: Equatable {
    /// The maximum number of pixels of an image; nil for the default.
    var pixels: Int?

    init(_ arguments: Arguments) throws(UsageError) {
        guard let text = arguments.value("--max-pixels") else { return }
        guard let pixels = ByteText.count(text), (1...Self.most).contains(pixels) else {
            throw arguments.refusal("--max-pixels must be a number from 1 to 2G, such as 200M: \(text)")
        }
        self.pixels = pixels
    }

    /// The largest numbers that formats and decoders support at all.
    private static let most = 2_000_000_000
    private static let longestSide = 65_535

    func apply(to configuration: inout ImageLoader.Configuration) {
        guard let pixels else { return }
        var limits = configuration.decode.limits
        limits.pixels = pixels
        limits.bitmapBytes = max(limits.bitmapBytes, pixels * 4)
        limits.side = max(limits.side, min(pixels, Self.longestSide))
        configuration.decode.limits = limits
    }
}
