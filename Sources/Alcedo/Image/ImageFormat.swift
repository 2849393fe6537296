public import Foundation

/// A file format, as its first bytes tell; names and media types are never trusted.
///
/// More formats are recognised than are read: ``ImageDecoders/builtIn`` reads JPEG and PNG.
public enum ImageFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg, png, gif, webp, avif, heic, jxl, bmp, tiff

    /// The format whose signature `data` begins with, nil when there is none; looks at no more than 12 bytes.
    public init?(sniffing data: Data) {
        let head = [UInt8](data.prefix(12))
        func has(_ text: String, at offset: Int = 0) -> Bool { head.dropFirst(offset).starts(with: text.utf8) }
        func has(_ bytes: [UInt8]) -> Bool { head.starts(with: bytes) }
        if has([0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if has([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if has("GIF87a") || has("GIF89a") {
            self = .gif
        } else if has("RIFF"), has("WEBP", at: 8) {
            self = .webp
        } else if has("ftypavif", at: 4) || has("ftypavis", at: 4) {
            self = .avif
        } else if ["heic", "heix", "hevc", "mif1", "msf1"].contains(where: { has("ftyp" + $0, at: 4) }) {
            self = .heic
        } else if has([0xFF, 0x0A]) || has([0, 0, 0, 12, 0x4A, 0x58, 0x4C, 0x20]) {
            self = .jxl
        } else if has("BM") {
            self = .bmp
        } else if has("II*\0") || has("MM\0*") {
            self = .tiff
        } else {
            return nil
        }
    }
}
