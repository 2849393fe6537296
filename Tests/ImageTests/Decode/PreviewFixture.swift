import AlcedoTestSupport

#if os(Linux) && JPEG && PNG && WebP
import Foundation

@testable import Alcedo
@testable import TestFixtures

/// Feeds files to preview readers.
struct PreviewFixture {
    var request = DecodeRequest()
    let decoder: any PreviewDecoding & StoredImageDecoding

    init(_ file: Data) throws(ImageLoaderError) {
        decoder =
            switch ImageFormat(sniffing: file) {
            case .png: PNGDecoder()
            case .webp: WebPDecoder()
            default: JPEGDecoder()
            }
    }

    /// A reader that has been given nothing yet; nil when the file has no head that tells enough.
    func reader(_ file: Data) throws(ImageLoaderError) -> (ImageHeader, any PreviewReading)? {
        guard let header = try decoder.previewHeader(file, request) else { return nil }
        return (header, try decoder.previewReader(file, header, request))
    }

    /// The previews after each piece of a file; nil where there is none.
    func previews(of pieces: [Data]) throws(ImageLoaderError) -> [PartialImage?] {
        guard let (_, reader) = try reader(Data(pieces.joined())) else { return [] }
        var previews: [PartialImage?] = []
        for piece in pieces {
            try reader.append(piece)
            previews.append(try reader.preview(DecodeCancellation()))
        }
        return previews
    }

    /// As the reader's picture would be shown, made of the whole file.
    func decoded(_ file: Data) throws(ImageLoaderError) -> Bitmap {
        let header = try decoder.header(of: file, limits: request.limits)
        return try decoder.decodeStored(
            file, header, atLeast: PictureFitting(header, request).storedSize, request
        ).bitmap
    }

    /// Cuts a file at random places.
    static func pieces(_ file: Data, count: Int, _ random: inout SeededRandom) -> [Data] {
        let cuts = (1..<count).map { _ in Int.random(in: 0...file.count, using: &random) }.sorted()
        return zip([0] + cuts, cuts + [file.count]).map { Data(file[$0..<$1]) }
    }

    /// Small files of all kinds that have previews.
    static let files = Result { () throws -> [(name: String, file: Data)] in
        let photo = try PhotoFixture.make(83, 61)
        var progressive = JPEGEncoder()
        progressive.isProgressive = true
        let noise = try Pictures.noise(31, 23, seed: 3)
        return [
            ("baseline", try JPEGEncoder().encode(photo)), ("progressive", try progressive.encode(photo)),
            ("scans", JPEGFixture(blocksPerSide: 5, scans: 4).data),
            ("PNG", try PNGEncoder().encode(noise)), ("interlaced", interlaced),
            ("lossy", try WebPEncoder().encode(photo)), ("lossy with alpha", try WebPEncoder().encode(noise)),
            ("lossless", try WebPEncoder(.lossless).encode(photo)),
            ("lossless with alpha", try WebPEncoder(.lossless).encode(noise)),
        ]
    }

    /// An interlaced PNG of 8 × 8 pixels with alpha: each pass brings other colors.
    static var interlaced: Data {
        // Rows and pixels of a row in each pass.
        let passes = [(1, 1), (1, 1), (1, 2), (2, 2), (2, 4), (4, 4), (4, 8)]
        var rows: [UInt8] = []
        for (index, pass) in passes.enumerated() {
            for row in 0..<pass.0 {
                rows.append(0)
                for x in 0..<pass.1 { rows += [UInt8(index * 30), UInt8(row * 50), UInt8(x * 30), UInt8(255 - index)] }
            }
        }
        return PNGFixture(width: 8, height: 8, colorType: 6, interlaced: true, rows: rows).data
    }
}

extension PreviewReading {
    func append(_ bytes: Data) throws(ImageLoaderError) {
        try bytes.bytes.withUnsafeBytes { (bytes) throws(ImageLoaderError) in
            try append(bytes, DecodeCancellation())
        }
    }
}
#endif
