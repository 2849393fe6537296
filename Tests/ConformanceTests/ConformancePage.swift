/// The page with the results of this system's decoders, and the target that writes it.
enum ConformancePage {
    #if canImport(Darwin)
    static let title = "Conformance on Apple's systems"
    static let path = "Docs/Conformance-Apple.md"
    static let target = "make conformance-apple"
    static let formats = "The decoders are those of ImageIO, and Alcedo's own for GIF, BMP and ICO."
    #else
    static let title = "Conformance"
    static let path = "Docs/Conformance.md"
    static let target = "make conformance"
    static let formats = """
        `make conformance` builds the decoders of all formats, also those of HEIC, TIFF and JPEG XL, whose traits
        are off by default.
        """
    #endif
}
