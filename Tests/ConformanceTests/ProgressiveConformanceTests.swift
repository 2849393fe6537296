import Alcedo
import Foundation
import Testing

/// Compares the previews of partial images, and animations without their end, with what the image conformance set says
/// of their prefixes.
@Suite struct ProgressiveConformanceTests {
    /// The files with these units, in formats that this build can read.
    private static func files(_ units: String...) -> [String] {
        let prefixes = ImageCorpus.readable.first?.prefixes ?? [:]
        return prefixes.filter { _, rows in
            rows.contains { units.contains($0["unit"]) && !ConformanceJudge.unreadFormats.contains($0.format) }
        }.keys.sorted()
    }

    /// Whether a file is of a format whose decoder has previews. ImageIO's has none.
    private static func hasPreviews(_ file: String) -> Bool {
        let format = ImageCorpus.readable.first?.prefixes[file]?.first?.format
        let decoder = ImageDecoders.builtIn.decoders.first { $0.format.rawValue == format }
        return decoder == nil || decoder is any PreviewDecoding
    }

    @Test func unit_isKnown_inEveryLine() throws {
        let corpus = try #require(ImageCorpus.readable.first)
        for row in corpus.prefixes.values.joined() {
            #expect(["scan", "row", "pass", "frame"].contains(row["unit"]), "\(row.place)")
        }
    }

    @Test(arguments: files("scan", "row", "pass").filter(hasPreviews))
    func preview_showsAllOfItsPrefix(_ file: String) throws {
        let corpus = try #require(ImageCorpus.readable.first)
        let data = try corpus.contents(of: file)
        let decoder = try #require(ImageDecoders.builtIn.decoder(for: data) as? any PreviewDecoding)
        let request = DecodeRequest()
        let header = try decoder.header(of: data, limits: request.limits)
        // Some files are truncated: the preview of all their bytes counts as the whole.
        let reader = try decoder.previewReader(data, header, request)
        let whole = try #require(try preview(decoder.previewReader(data, header, request), data)).bitmap
        var (offset, last) = (0, Double.infinity)
        var shown: PartialImage?
        for row in try #require(corpus.prefixes[file]) {
            let prefix = try #require(row.number("prefix_bytes"))
            let end = row["unit"] == "scan" ? nextScan(data, prefix) : prefix
            shown = try preview(reader, data[offset..<end]) ?? shown
            offset = end
            switch row["unit"] {
            case "scan":
                let difference = try difference(#require(shown).bitmap, whole)
                let stated = try #require(Double(row["mad_to_final"]))
                #expect(difference <= 1.5 * stated + 4, "\(end) bytes")
                #expect(difference <= last + 1, "\(end) bytes")
                last = difference
            case "pass": try check(passes: row, shown, whole)
            default: try check(rows: row, shown, whole, decoder.format)
            }
        }
    }

    /// The offset of the next scan's pixels. libjpeg smooths an image of one scan across rows of blocks, and draws the
    /// last of these only when it has seen the start of the next scan, some tens of bytes after the end of the scan.
    private func nextScan(_ data: Data, _ end: Int) -> Int {
        var offset = end
        while offset + 4 <= data.count, data[offset + 1] != 0xD9 {
            let isScan = data[offset + 1] == 0xDA
            offset += 2 + Int(data[offset + 2]) << 8 + Int(data[offset + 3])
            if isScan { break }
        }
        return offset
    }

    private func preview(_ reader: any PreviewReading, _ bytes: Data) throws -> PartialImage? {
        try bytes.withUnsafeBytes { try reader.append($0, DecodeCancellation()) }
        return try reader.preview(DecodeCancellation())
    }

    /// All complete rows must be shown, except for two rows of blocks of a JPEG, and must equal those of the image.
    private func check(rows row: ImageCorpus.Row, _ shown: PartialImage?, _ whole: Bitmap, _ format: ImageFormat)
        throws
    {
        let complete = try #require(row.number("complete_units"))
        let count = Int((Double(whole.size.height) * (shown?.coverage ?? 0)).rounded())
        #expect(count >= complete - (format == .jpeg ? 32 : 0))
        // A decoder can't show more than it received. For a JPEG, the set has libjpeg's count, which lags behind.
        #expect(count <= complete || format == .jpeg)
        guard let shown else { return }
        let length = max(0, min(count, complete - (format == .jpeg ? 32 : 0))) * whole.bytesPerRow
        let (one, other) = (bytes(of: shown.bitmap).prefix(length), bytes(of: whole).prefix(length))
        guard one != other else { return }
        let place = zip(one, other).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? one.count
        Issue.record("row \(place / whole.bytesPerRow) of \(complete) differs")
    }

    private func bytes(of bitmap: Bitmap) -> Data {
        bitmap.withBytes { bytes in bytes.withUnsafeBytes { Data($0) } }
    }

    /// The pixels of complete passes must equal those of the image.
    private func check(passes row: ImageCorpus.Row, _ shown: PartialImage?, _ whole: Bitmap) throws {
        let complete = try #require(row.number("complete_units"))
        guard complete > 0 else { return }
        let bitmap = try #require(shown).bitmap
        if bitmap == whole { return }
        for pass in Self.passes[..<complete] {
            for y in stride(from: pass.y, to: whole.size.height, by: pass.rows) {
                for x in stride(from: pass.x, to: whole.size.width, by: pass.columns) where bitmap[x, y] != whole[x, y]
                {
                    Issue.record("pixel (\(x), \(y)) of \(complete) passes differs")
                    return
                }
            }
        }
    }

    /// The position of the first pixel of each pass of an interlaced PNG, and the distances between its pixels.
    private static let passes: [(x: Int, y: Int, columns: Int, rows: Int)] = [
        (0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2),
        (0, 1, 1, 2),
    ]

    /// The mean of the absolute differences of red, green and blue; in a large image, of one pixel in nine, which are
    /// at all places of a block of eight pixels.
    private func difference(_ one: Bitmap, _ other: Bitmap) -> Double {
        if one == other { return 0 }
        let step = one.size.width * one.size.height > 10_000 ? 3 : 1
        var (sum, count) = (0, 0)
        for y in stride(from: 0, to: one.size.height, by: step) {
            for x in stride(from: 0, to: one.size.width, by: step) {
                let (a, b) = (one[x, y], other[x, y])
                sum += abs(Int(a.x) - Int(b.x)) + abs(Int(a.y) - Int(b.y)) + abs(Int(a.z) - Int(b.z))
                count += 3
            }
        }
        return Double(sum) / Double(count)
    }

    /// A truncated animation must have all complete frames, equal to those of the whole.
    @Test(arguments: files("frame"))
    func truncatedAnimation_hasItsCompleteFrames_orIsRejected(_ file: String) async throws {
        let corpus = try #require(ImageCorpus.readable.first)
        let data = try corpus.contents(of: file)
        let decoder = try ImageDecoders.builtIn.decoder(for: data)
        let whole = try decoder.decode(data, DecodeRequest())
        let rows = try #require(corpus.prefixes[file])
        var frames: [Bitmap] = []
        if let animation = whole.animation {
            let most = rows.compactMap { $0.number("complete_units") }.max() ?? 0
            for index in 0..<min(most, animation.frameCount) { frames.append(try await animation.frame(at: index)) }
        }
        for row in rows {
            let (end, complete) = (try #require(row.number("prefix_bytes")), try #require(row.number("complete_units")))
            let picture: DecodedImage
            do throws(ImageLoaderError) {
                picture = try decoder.decode(data.prefix(end), DecodeRequest())
            } catch {
                guard case .corruptImage = error, end < data.count else { throw error }
                continue
            }
            #expect(picture.bitmap == whole.bitmap, "\(end) bytes")
            #expect(picture.animation?.frameCount ?? 1 >= complete, "\(end) bytes")
            // A GIF that ends after its first image is a still image.
            guard let animation = picture.animation else { continue }
            #expect(frames.count >= complete, "\(end) bytes")
            for (index, frame) in frames.prefix(complete).enumerated() {
                #expect(try await animation.frame(at: index) == frame, "\(index) of \(end) bytes")
            }
        }
    }
}
