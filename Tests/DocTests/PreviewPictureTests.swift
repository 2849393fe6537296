#if os(Linux) && JPEG
import Foundation
import Testing

import Alcedo

/// The picture in the article on previews, and what is said beside it.
///
/// `ALCEDO_PICTURES=Docs/Alcedo.docc/Resources swift test --filter PreviewPictureTests` makes it anew.
struct PreviewPictureTests {
    private static let (width, height) = (480, 320)

    @Test func thePreviewsOfAProgressiveJPEG_areAsTheArticleSays() throws {
        var encoder = JPEGEncoder(quality: 85)
        encoder.isProgressive = true
        let file = try encoder.encode(Landscape.make(Self.width, Self.height))
        let whole = try JPEGDecoder().decode(file, DecodeRequest()).bitmap
        let previews = try [10, 30, 60].map { try preview(of: file.prefix(file.count * $0 / 100)) }
        for (preview, likeness) in zip(previews, [20.0, 25, 30]) {
            #expect(preview.coverage == 1)
            #expect(self.likeness(preview.bitmap, whole) > likeness)
        }
        guard let folder = ProcessInfo.processInfo.environment["ALCEDO_PICTURES"] else { return }
        let sheet = try sheet(previews.map(\.bitmap) + [whole])
        let picture = URL(filePath: folder, relativeTo: Repository.root).appending(path: "progressive-jpeg.jpg")
        try JPEGEncoder(quality: 88).encode(sheet).write(to: picture)
    }

    private func preview(of part: Data) throws -> PartialImage {
        let (decoder, request) = (JPEGDecoder(), DecodeRequest())
        let header = try #require(try decoder.previewHeader(part, request))
        let reader = try decoder.previewReader(part, header, request)
        try part.withUnsafeBytes { try reader.append($0, request.cancellation) }
        return try #require(try reader.preview(request.cancellation))
    }

    /// Four pictures, two in a row.
    private func sheet(_ pictures: [Bitmap]) throws -> Bitmap {
        var builder = try BitmapBuilder(size: PixelSize(width: Self.width * 2, height: Self.height * 2))
        let bytesPerRow = builder.bytesPerRow
        builder.withBytes { bytes in
            for (index, picture) in pictures.enumerated() {
                for y in 0..<Self.height {
                    for x in 0..<Self.width {
                        let row = index / 2 * Self.height + y
                        let offset = row * bytesPerRow + (index % 2 * Self.width + x) * 4
                        bytes.storeBytes(of: picture[x, y], toByteOffset: offset, as: SIMD4<UInt8>.self)
                    }
                }
            }
        }
        return builder.freeze()
    }

    /// In dB.
    private func likeness(_ one: Bitmap, _ other: Bitmap) -> Double {
        var sum = 0
        for y in 0..<one.size.height {
            for x in 0..<one.size.width {
                let difference =
                    SIMD4<Int>(truncatingIfNeeded: one[x, y]) &- SIMD4<Int>(truncatingIfNeeded: other[x, y])
                sum += (difference &* difference).wrappedSum()
            }
        }
        return 10 * log10(255 * 255 / (Double(sum) / Double(one.size.width * one.size.height * 3)))
    }
}
#endif
