#if canImport(ImageIO)
import CoreGraphics
import Foundation
import ImageIO

extension ImageIODecoder.Format {
    /// The formats that this system reads.
    public static let available: [Self] = {
        let types = CGImageSourceCopyTypeIdentifiers() as? [String] ?? []
        return allCases.filter { types.contains($0.rawValue) }
    }()

    var format: ImageFormat {
        switch self {
        case .jpeg: .jpeg
        case .png: .png
        case .webP: .webp
        case .heic: .heic
        case .avif: .avif
        case .jpegXL: .jxl
        case .tiff: .tiff
        }
    }

    /// Tells ImageIO which format is expected.
    var hint: CFDictionary { [kCGImageSourceTypeIdentifierHint: rawValue] as CFDictionary }

    /// Whether the codec itself decodes to a reduced size. For other formats, the image is scaled as a thumbnail is,
    /// because leaving out pixels would spoil it.
    var isSubsampled: Bool { self == .jpeg }

    /// Whether ImageIO may read a file of this format as `type`.
    ///
    /// Photos of cameras' own formats begin like TIFF, and other images and films like HEIF. They would be read by code
    /// that isn't meant here.
    func includes(_ type: String) -> Bool {
        switch self {
        // Their headers have been read already.
        case .jpeg, .png, .webP: true
        case .heic: ["public.heic", "public.heics", "public.heif", "public.heifs"].contains(type)
        case .avif: ["public.avif", "public.avis"].contains(type)
        case .jpegXL, .tiff: type == rawValue
        }
    }
}

extension DecodeLimits {
    /// Checks the size that the first directory of a TIFF claims, if it can be read.
    func check(tiff data: Data) throws(ImageLoaderError) {
        let bytes = data.span
        guard let directory = TIFFDirectory(firstOf: bytes), let width = directory.integer(0x0100, in: bytes),
            let height = directory.integer(0x0101, in: bytes)
        else { return }
        try check(PixelSize(width: width, height: height))
    }
}
#endif
