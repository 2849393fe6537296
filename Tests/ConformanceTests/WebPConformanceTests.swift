#if os(Linux) && WebP
import Foundation
import Testing

@testable import Alcedo

/// Every frame of the animated WebPs of the image conformance set, in memory's form: composed and premultiplied.
@Suite(.enabled(if: ImageCorpus.folder != nil, "ALCEDO_CORPUS does not name the image conformance set"))
struct WebPConformanceTests {
    @Test func theAnimationsAreThere() {
        #expect(Self.animations.count >= 4)
        #expect(ImageCorpus.rows.count { $0.format == "webp" } >= 57)
    }

    @Test(arguments: animations)
    func playsAllFrames(_ row: ImageCorpus.Row) throws {
        let data = try ImageCorpus.contents(of: row.file)
        let decoder = WebPDecoder()
        let header = try decoder.header(of: data, limits: DecodeLimits())
        let picture = try decoder.decodeStored(data, header, atLeast: nil, DecodeRequest())
        let animation = try #require(picture.animation)
        let frames = try Self.frames(of: row.file)
        #expect(header.frameCount == row.number("frames"))
        #expect(animation.delays.count == row.number("frames"))
        #expect(frames.count == row.number("frames"))
        let loops = try #require(row.number("loop"))
        #expect(animation.loopCount == (loops == 0 ? .forever : .times(loops)))

        var reader = try animation.makeFrames()
        for (index, frame) in frames.enumerated() {
            #expect(animation.delays[index] == .milliseconds(try #require(frame.number("delay_ms"))))
            let bitmap = try reader.next()
            if index == 0 { #expect(bitmap == picture.bitmap) }
            #expect(bitmap.size.width == row.number("width") && bitmap.size.height == row.number("height"))
            try verify(bitmap, frame, "frame \(index)")
        }
        #expect(throws: ImageLoaderError.self) { _ = try reader.next() }
    }

    private static let animations = ImageCorpus.rows.filter {
        $0.format == "webp" && $0.outcome == "ok" && ($0.number("frames") ?? 1) > 1
    }

    private static func frames(of file: String) throws -> [ImageCorpus.Row] {
        let text = try String(decoding: ImageCorpus.contents(of: "FRAMES.tsv"), as: UTF8.self)
        let lines = text.split(separator: "\n").map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
        let names = try #require(lines.first)
        return lines.dropFirst().filter { $0.first == Substring(file) }.map {
            ImageCorpus.Row(
                fields: Dictionary(zip(names.map(String.init), $0.map(String.init)), uniquingKeysWith: { a, _ in a }))
        }
    }

    private func verify(_ bitmap: Bitmap, _ frame: ImageCorpus.Row, _ comment: Comment) throws {
        let pixels = bitmap.withBytes { bytes in bytes.withUnsafeBytes { [UInt8]($0) } }
        if frame.check == "mad", try meanDifference(pixels, bitmap.size, frame) <= #require(frame.tolerance) { return }
        #expect(SHA256.hex(of: pixels) == frame.premultipliedHash, comment)
    }

    /// Mean absolute difference from the samples of the reference, both premultiplied.
    private func meanDifference(_ pixels: [UInt8], _ size: PixelSize, _ frame: ImageCorpus.Row) throws -> Double {
        let columns = try #require(frame.number("ref_cols"))
        let rows = try #require(frame.number("ref_rows"))
        let reference = try [UInt8](
            ImageCorpus.contents(of: frame.referenceFile).dropFirst(#require(frame.number("ref_offset"))))
        try #require(reference.count >= columns * rows * 4)
        let whole = columns == size.width && rows == size.height
        var sum = 0
        for sample in 0..<columns * rows {
            let (i, j) = (sample % columns, sample / columns)
            let x = whole ? i : (2 * i + 1) * size.width / (2 * columns)
            let y = whole ? j : (2 * j + 1) * size.height / (2 * rows)
            let alpha = Int(reference[sample * 4 + 3])
            for channel in 0..<4 {
                let theirs = Int(reference[sample * 4 + channel])
                let ours = Int(pixels[(y * size.width + x) * 4 + channel])
                sum += abs(ours - (channel == 3 ? theirs : (theirs * alpha + 127) / 255))
            }
        }
        return Double(sum) / Double(columns * rows * 4)
    }
}
#endif
