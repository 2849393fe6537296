import Alcedo
import Foundation
import Testing

/// Every frame of every animated PNG of the image conformance set, by the rules of its FORMAT.md.
@Suite(.enabled(if: ImageCorpus.folder != nil, "ALCEDO_CORPUS does not name the image conformance set"))
struct APNGConformanceTests {
    private static let rows = ImageCorpus.rows.filter { $0.format == "apng" && $0.outcome == "ok" }

    /// FRAMES.tsv, by file and in order.
    private static let frames: [String: [[String]]] = {
        guard let text = try? String(decoding: ImageCorpus.contents(of: "FRAMES.tsv"), as: UTF8.self) else {
            return [:]
        }
        let lines = text.split(separator: "\n").dropFirst()
        return Dictionary(
            grouping: lines.map {
                $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            }, by: { $0[0] })
    }()

    @Test func theFramesAreThere() {
        #expect(Self.rows.count >= 10)
        #expect(Self.rows.filter { Self.frames[$0.file] != nil }.count >= 10)
    }

    @Test(arguments: rows)
    func playsAllFrames(_ row: ImageCorpus.Row) throws {
        let data = try ImageCorpus.contents(of: row.file)
        let decoder = PNGDecoder()
        let header = try decoder.header(of: data, limits: DecodeLimits())
        let picture = try decoder.decodeStored(data, header, atLeast: nil, DecodeRequest())
        let count = try #require(row.number("frames"))
        #expect(header.frameCount == count)
        guard count > 1 else {
            #expect(picture.animation == nil)
            return
        }
        let animation = try #require(picture.animation)
        #expect(animation.delays.count == count)
        #expect(animation.loopCount == row.number("loop").map { $0 == 0 ? .forever : .times($0) })
        let expected = try #require(Self.frames[row.file])
        try #require(expected.count == count)
        var reader = try animation.makeFrames()
        for (line, delay) in zip(expected, animation.delays) {
            try verify(reader.next(), delay, line)
        }
    }

    /// Columns: file, index, delay_ms, check, sha256_rgba, sha256_premul, tol_mad, ref_file, ref_offset, ref_cols,
    /// ref_rows.
    private func verify(_ frame: Bitmap, _ delay: Duration, _ line: [String]) throws {
        let milliseconds = try #require(Double(line[2]))
        #expect(abs(delay / .milliseconds(1) - milliseconds) < 1, "frame \(line[1]): \(delay)")
        let pixels = frame.withBytes { bytes in bytes.withUnsafeBytes { [UInt8]($0) } }
        if SHA256.hex(of: pixels) == line[5] { return }
        try #require(line[3] == "mad", "frame \(line[1]): other pixels than the reference")
        let difference = try meanDifference(pixels, frame.size, line)
        #expect(try difference <= #require(Double(line[6])), "frame \(line[1])")
    }

    /// Mean absolute difference from the samples of the reference, both premultiplied.
    private func meanDifference(_ pixels: [UInt8], _ size: PixelSize, _ line: [String]) throws -> Double {
        let reference = try [UInt8](ImageCorpus.contents(of: line[7]))
        let offset = try #require(Int(line[8]))
        let columns = try #require(Int(line[9]))
        let rows = try #require(Int(line[10]))
        try #require(reference.count >= offset + columns * rows * 4)
        let whole = columns == size.width && rows == size.height
        var sum = 0
        for j in 0..<rows {
            let y = whole ? j : (2 * j + 1) * size.height / (2 * rows)
            for i in 0..<columns {
                let x = whole ? i : (2 * i + 1) * size.width / (2 * columns)
                let ours = (y * size.width + x) * 4
                let theirs = offset + (j * columns + i) * 4
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
