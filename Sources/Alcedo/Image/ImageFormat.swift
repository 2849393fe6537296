public import Foundation

/// A file format.
///
/// Formats are detected from a file's first bytes; names and media types are never trusted. Alcedo detects more formats
/// than ``ImageDecoders/builtIn`` reads. A decoder for another format defines its own value:
///
/// ```swift
/// extension ImageFormat {
///     static let qoi = ImageFormat(rawValue: "qoi", mediaTypes: ["image/qoi"])
/// }
/// ```
public struct ImageFormat: RawRepresentable, Sendable, Hashable {
    /// The index of the format's name. It is a number rather than a string, because every image that a lookup returns
    /// holds a format.
    private let number: Int

    /// The format's name in lower case, such as "jpeg".
    public var rawValue: String { Self.all.name(of: number) }

    /// Media types of the format (RFC 6838), the registered one first; empty if none are known.
    public var mediaTypes: [String] { Self.all.mediaTypes(of: number) }

    /// Creates a format with this name. Names are stored for as long as the process runs.
    public init(rawValue: String) { number = Self.all.number(of: rawValue) }

    /// Creates a format with this name and these media types, which a loader with a decoder for it requests from
    /// servers.
    ///
    /// Both are stored for as long as the process runs. Media types given for one name in several calls accumulate.
    public init(rawValue: String, mediaTypes: [String]) { number = Self.all.number(of: rawValue, mediaTypes) }

    private init(_ known: Known) { number = known.rawValue }

    private enum Known: Int, CaseIterable {
        case jpeg, png, gif, webp, avif, heic, jxl, bmp, ico, tiff, svg, pdf
    }

    /// All formats. Those of ``Known`` come first, in its order.
    private static let all = FormatTable([
        ("jpeg", ["image/jpeg"]), ("png", ["image/png", "image/apng"]), ("gif", ["image/gif"]),
        ("webp", ["image/webp"]), ("avif", ["image/avif"]), ("heic", ["image/heic", "image/heif"]),
        ("jxl", ["image/jxl"]), ("bmp", ["image/bmp"]), ("ico", ["image/vnd.microsoft.icon", "image/x-icon"]),
        ("tiff", ["image/tiff"]), ("svg", ["image/svg+xml"]), ("pdf", ["application/pdf"]),
    ])

    /// JPEG.
    public static let jpeg = ImageFormat(.jpeg)
    /// PNG, still or animated.
    public static let png = ImageFormat(.png)
    /// GIF.
    public static let gif = ImageFormat(.gif)
    /// WebP.
    public static let webp = ImageFormat(.webp)
    /// AVIF.
    public static let avif = ImageFormat(.avif)
    /// HEIF with HEVC.
    public static let heic = ImageFormat(.heic)
    /// JPEG XL.
    public static let jxl = ImageFormat(.jxl)
    /// Windows bitmap.
    public static let bmp = ImageFormat(.bmp)
    /// Windows icon or cursor.
    public static let ico = ImageFormat(.ico)
    /// TIFF.
    public static let tiff = ImageFormat(.tiff)
    /// SVG.
    public static let svg = ImageFormat(.svg)
    /// PDF.
    public static let pdf = ImageFormat(.pdf)

    /// The formats that Alcedo detects.
    package static let known = Known.allCases.map { ImageFormat($0) }

    /// Detects the format by the signature at the beginning of `data`; nil if Alcedo doesn't know it. Examines at most
    /// 512 bytes.
    public init?(sniffing data: Data) {
        let common = data.withUnsafeBytes { Self.commonFormat(of: $0) }
        // The bytes are copied only to detect uncommon formats.
        guard let format = common ?? Self.uncommonFormat(of: [UInt8](data.prefix(512))) else { return nil }
        self = format
    }

    private static func commonFormat(of head: UnsafeRawBufferPointer) -> ImageFormat? {
        func has(_ text: String, at offset: Int = 0) -> Bool { head.dropFirst(offset).starts(with: text.utf8) }
        func has(_ bytes: [UInt8]) -> Bool { head.starts(with: bytes) }
        if has([0xFF, 0xD8, 0xFF]) { return .jpeg }
        if has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return .png }
        if has("GIF87a") || has("GIF89a") { return .gif }
        return has("RIFF") && has("WEBP", at: 8) ? .webp : nil
    }

    private static func uncommonFormat(of head: [UInt8]) -> ImageFormat? {
        func has(_ text: String, at offset: Int = 0) -> Bool { head.dropFirst(offset).starts(with: text.utf8) }
        func has(_ bytes: [UInt8]) -> Bool { head.starts(with: bytes) }
        if has("ftyp", at: 4), let format = Self.format(ofBrandsIn: head) { return format }
        if has([0xFF, 0x0A]) || has([0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20]) { return .jxl }
        if has("BM"), Self.isBMP(head) { return .bmp }
        if Self.isICO(head) { return .ico }
        // The second pair marks BigTIFF.
        if ["II*\0", "MM\0*", "II+\0", "MM\0+"].contains(where: { has($0) }) { return .tiff }
        if has("%PDF-") { return .pdf }
        return Self.isSVG(head) ? .svg : nil
    }

    /// The format of an ISO media file, by its brand and its compatible brands (ISO/IEC 14496-12, section 4.3). A still
    /// image with the general brand names its codec only in the compatible ones.
    private static func format(ofBrandsIn head: [UInt8]) -> ImageFormat? {
        let length = head.prefix(4).reduce(0) { $0 << 8 | Int($1) }
        let brands = stride(from: 8, to: min(length, head.count) - 3, by: 4)
            // A version stands between the brand and the compatible brands.
            .filter { $0 != 12 }.map { String(decoding: head[$0..<$0 + 4], as: UTF8.self) }
        if brands.contains(where: { ["avif", "avis"].contains($0) }) { return .avif }
        let heic = ["heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "msf1"]
        return brands.contains(where: { heic.contains($0) }) ? .heic : nil
    }

    /// Whether the second header has one of the known lengths. This excludes texts that begin with "BM".
    private static func isBMP(_ head: [UInt8]) -> Bool {
        head.count >= 18 && [12, 16, 40, 52, 56, 64, 108, 124].contains(head[14])
            && head[15..<18].allSatisfy { $0 == 0 }
    }

    /// Whether the file is a Windows icon or cursor with at least one image. The signature of a cursor is common in
    /// other files, so its first image must also follow the directory.
    private static func isICO(_ head: [UInt8]) -> Bool {
        guard head.count > 5, head[4] | head[5] != 0 else { return false }
        if head.starts(with: [0, 0, 1, 0]) { return true }
        guard head.starts(with: [0, 0, 2, 0]), head.count >= 22 else { return false }
        let offset = head[18..<22].reversed().reduce(0) { $0 << 8 | Int($1) }
        return offset >= 6 + 16 * (Int(head[4]) | Int(head[5]) << 8)
    }

    private static func isSVG(_ head: [UInt8]) -> Bool {
        var text = String(decoding: head.starts(with: [0xEF, 0xBB, 0xBF]) ? head[3...] : head[...], as: UTF8.self)[...]
        text = text.drop(while: \.isWhitespace)
        while text.hasPrefix("<!--"), let end = text.range(of: "-->") {
            text = text[end.upperBound...].drop(while: \.isWhitespace)
        }
        return text.hasPrefix("<svg")
            || ["<?xml", "<!DOCTYPE svg"].contains(where: text.hasPrefix) && text.contains("<svg")
    }
}
