import Alcedo
import Foundation
import Testing

/// Every JPEG, PNG, GIF and WebP of the image conformance set, by the rules of its FORMAT.md.
///
/// The set is not in the repository: without `ALCEDO_CORPUS` (the path of the folder with MANIFEST.tsv) these tests are
/// skipped; with it, none is.
@Suite(.enabled(if: ImageCorpus.folder != nil, "ALCEDO_CORPUS does not name the image conformance set"))
struct ImageConformanceTests {
    @Test func theCorpusIsThere() {
        #expect(ImageCorpus.rows.count >= 100)
    }

    @Test func theAnimationsAreThere() {
        #expect(ImageCorpus.frames.count >= 30)
        for (format, count) in [("gif", 15), ("apng", 10), ("webp", 4)] {
            let files = ImageCorpus.rows.count { $0.format == format && ImageCorpus.frames[$0.file] != nil }
            #expect(files >= count, "\(format)")
        }
    }

    @Test(arguments: ImageCorpus.rows)
    func decodes(_ row: ImageCorpus.Row) async throws {
        guard let reason = ImageCorpus.knownDifferences[row.file] else { return try await check(row) }
        await withKnownIssue(Comment(rawValue: reason), isIntermittent: true) { try await check(row) }
    }

    private func check(_ row: ImageCorpus.Row) async throws {
        let data = try ImageCorpus.contents(of: row.file)
        #expect(data.count == row.number("bytes"))
        let result = Result { () throws(ImageLoaderError) in try decode(data) }
        ImageCorpus.tally.record(row, isImage: (try? result.get()) != nil)
        switch result {
        case .success((let picture, let header)):
            #expect(row.outcome != "error", "an image came of a file that must be refused")
            try verify(picture, header, row)
            if ImageCorpus.playedFormats.contains(row.format) {
                try await play(picture, header, row)
            }
        case .failure(let error):
            switch (row.outcome, error) {
            case ("error", _), ("partial", _), ("optional", .unsupportedImage): break
            default: Issue.record("\(row.outcome): \(error)")
            }
        }
    }

    /// One photo, stored in many ways: upright, all of them show the same.
    @Test(arguments: [
        (2...8).map { "images/jpeg/pillow__hopper_orientation_\($0).jpg" },
        [0, 3, 6, 7].map { "images/jpeg/exiforient__Portrait_\($0).jpg" },
    ])
    func uprightPicturesAreAlike(_ files: [String]) throws {
        let pictures = try files.map { try ImageDecoders.builtIn.decode(ImageCorpus.contents(of: $0)).bitmap }
        let first = try #require(pictures.first)
        for (file, picture) in zip(files, pictures) {
            #expect(picture.size == first.size)
            #expect(meanDifference(picture, first) < 8, "\(file)")
        }
    }

    /// Mean absolute difference of a few thousand pixels.
    private func meanDifference(_ one: Bitmap, _ other: Bitmap) -> Double {
        var sum = 0
        for y in 0..<64 {
            for x in 0..<64 {
                let (column, row) = (x * one.size.width / 64, y * one.size.height / 64)
                let (a, b) = (one[column, row], other[column, row])
                for channel in 0..<4 { sum += abs(Int(a[channel]) - Int(b[channel])) }
            }
        }
        return Double(sum) / (64 * 64 * 4)
    }

    private func decode(_ data: Data) throws(ImageLoaderError) -> (DecodedImage, ImageHeader) {
        let decoder = try ImageDecoders.builtIn.decoder(for: data)
        var request = DecodeRequest()
        request.appliesOrientation = false
        // The set has a picture of 65,535 × 1 pixels.
        request.limits.side = 65_535
        return (try decoder.decode(data, request), try decoder.header(of: data, limits: request.limits))
    }

    private func verify(_ picture: DecodedImage, _ header: ImageHeader, _ row: ImageCorpus.Row) throws {
        let (width, height) = (row.number("width") ?? 0, row.number("height") ?? 0)
        switch row.check {
        case "none": break
        case "dims-min": #expect(picture.size.width >= width && picture.size.height >= height)
        default: #expect(picture.size == PixelSize(width: width, height: height))
        }
        #expect(picture.size == header.size)
        if row.outcome == "ok" { #expect(header.orientation.rawValue == row.number("orientation") ?? 1) }
        try verifyPixels(of: picture.bitmap, row)
    }

    /// `row` is that of a still picture or of a frame.
    private func verifyPixels(of bitmap: Bitmap, _ row: ImageCorpus.Row) throws {
        guard row.check == "exact" || row.check == "mad" else { return }
        let pixels = bitmap.withBytes { bytes in bytes.withUnsafeBytes { [UInt8]($0) } }
        if row.check == "mad", row.stillHash == row.premultipliedHash, row.referenceFile != "-" {
            let difference = try meanDifference(pixels, bitmap.size, row)
            if difference <= row.tolerance ?? 0 { return }
        }
        #expect(SHA256.digest(of: pixels).hexadecimal == row.stillHash, "other pixels than the reference")
    }

    /// All frames: their count, raw delays and pixels, and how often they are shown.
    private func play(_ picture: DecodedImage, _ header: ImageHeader, _ row: ImageCorpus.Row) async throws {
        guard row.outcome == "ok", let count = row.number("frames"), count > 1 else {
            if row.outcome == "ok" { #expect(picture.animation == nil) }
            // Of a damaged file each frame is one of the right size or an error.
            guard let animation = picture.animation else { return }
            for index in 0..<animation.frameCount {
                do { #expect(try await animation.frame(at: index).size == picture.size) } catch { break }
            }
            return
        }
        let animation = try #require(picture.animation, "a still picture came of an animation")
        try #require(animation.frameCount == count)
        #expect(header.frameCount == nil || header.frameCount == count)
        #expect(animation.loopCount == row.loopCount)
        if row.check == "exact" || row.check == "mad" { #expect(ImageCorpus.frames[row.file]?.count == count) }
        for frame in ImageCorpus.frames[row.file] ?? [] {
            let index = try #require(frame.number("index"))
            // APNG counts in fractions of a second of its own choice, of which the set has the whole milliseconds.
            let delay = Duration.milliseconds(try #require(frame.number("delay_ms")))
            #expect(abs((animation.rawDelays[index] - delay) / .milliseconds(1)) < 1)
            let bitmap = try await animation.frame(at: index)
            #expect(bitmap.size == picture.size)
            if index == 0 { #expect(bitmap == picture.bitmap || picture.format == .png) }
            try verifyPixels(of: bitmap, frame)
        }
    }

    /// Mean absolute difference from the samples of the reference, both premultiplied.
    private func meanDifference(_ pixels: [UInt8], _ size: PixelSize, _ row: ImageCorpus.Row) throws -> Double {
        let offset = row.number("ref_offset") ?? 0
        let reference = try [UInt8](ImageCorpus.contents(of: row.referenceFile).dropFirst(offset))
        let columns = try #require(row.number("ref_cols"))
        let rows = try #require(row.number("ref_rows"))
        try #require(reference.count >= columns * rows * 4)
        let whole = columns == size.width && rows == size.height
        var sum = 0
        for j in 0..<rows {
            let y = whole ? j : (2 * j + 1) * size.height / (2 * rows)
            for i in 0..<columns {
                let x = whole ? i : (2 * i + 1) * size.width / (2 * columns)
                let ours = (y * size.width + x) * 4
                let theirs = (j * columns + i) * 4
                let alpha = Int(reference[theirs + 3])
                for channel in 0..<3 {
                    sum += abs(Int(pixels[ours + channel]) - (Int(reference[theirs + channel]) * alpha + 127) / 255)
                }
                sum += abs(Int(pixels[ours + 3]) - alpha)
            }
        }
        return Double(sum) / Double(columns * rows * 4)
    }
}
