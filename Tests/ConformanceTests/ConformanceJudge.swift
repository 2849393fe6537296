import Alcedo
import Foundation

/// Decodes the files of an ``ImageCorpus`` and compares the results with its tables, by the rules of FORMAT.md.
struct ConformanceJudge: Sendable {
    let corpus: ImageCorpus

    /// The formats of the manifest that this build can't read.
    static let unreadFormats: Set<String> = {
        let read = Set(ImageDecoders.builtIn.decoders.map(\.format.rawValue))
        let names = ["jpeg", "png", "apng", "gif", "webp", "avif", "bmp", "ico", "heic", "jxl", "tiff", "svg"]
        // Animated PNG is of the format PNG.
        return Set(names.filter { !read.contains($0 == "apng" ? "png" : $0) })
    }()

    func verdict(on row: ImageCorpus.Row) async -> ConformanceVerdict {
        var verdict = ConformanceVerdict(row)
        do {
            let data = try corpus.contents(of: row.file)
            verdict.require(data.count == row.number("bytes"), "the file has \(data.count) bytes")
            verdict.require(
                SHA256.digest(of: [UInt8](data)).hexadecimal == row["sha256_file"], "different contents")
            switch Result(catching: { () throws(ImageLoaderError) in try decode(data) }) {
            case .failure(let error): judge(error, &verdict)
            case .success(let (picture, header)):
                verdict.result = .picture
                verdict.require(row.outcome != "error", "a file that must be rejected was decoded")
                verdict.require(!Self.unreadFormats.contains(row.format), "decoded a format that this build can't read")
                try judge(picture, header, &verdict)
                try judgeUpright(picture, header, data, &verdict)
                try await judgeFrames(picture, &verdict)
            }
        } catch {
            verdict.require(false, "\(error)")
        }
        return verdict
    }

    private func decode(
        _ data: Data, appliesOrientation: Bool = false
    ) throws(ImageLoaderError) -> (DecodedImage, ImageHeader) {
        let decoder = try ImageDecoders.builtIn.decoder(for: data)
        var request = DecodeRequest()
        request.appliesOrientation = appliesOrientation
        // The longest side in GIF and JPEG: the default limit doesn't apply to a set's expectations.
        request.limits.side = 65_535
        return (try decoder.decode(data, request), try decoder.header(of: data, limits: request.limits))
    }

    // MARK: Rejected files

    private func judge(_ error: ImageLoaderError, _ verdict: inout ConformanceVerdict) {
        switch error {
        case .corruptImage(_, let reason), .unsupportedImage(_, let reason):
            verdict.require(!reason.isEmpty, "rejected without a reason: \(error)")
        case .notAnImage, .unsupportedFormat, .limitExceeded: break
        default: verdict.require(false, "not an error of a decoder: \(error)")
        }
        let outcome = verdict.row.outcome
        if Self.unreadFormats.contains(verdict.row.format) {
            verdict.result = .notRead
            return
        }
        switch (outcome, error) {
        case ("error", _), ("partial", _), ("optional", .unsupportedImage): break
        default: verdict.require(false, "expected \(outcome): \(error)")
        }
    }

    // MARK: Still images

    private func judge(
        _ picture: DecodedImage, _ header: ImageHeader, _ verdict: inout ConformanceVerdict
    ) throws {
        let row = verdict.row
        let (width, height) = (row.number("width") ?? 0, row.number("height") ?? 0)
        switch row.check {
        case "none": break
        case "dims-min":
            let isLargeEnough = picture.size.width >= width && picture.size.height >= height
            verdict.require(isLargeEnough, "\(picture.size), not at least \(width) × \(height)")
        default:
            let isAsLarge = picture.size == PixelSize(width: width, height: height)
            verdict.require(isAsLarge, "\(picture.size), not \(width) × \(height)")
        }
        if row.outcome == "ok" {
            let orientation = row.number("orientation") ?? 1
            verdict.require(header.orientation.rawValue == orientation, "orientation \(header.orientation.rawValue)")
        }
        let frames = picture.animation?.frameCount ?? 1
        verdict.require(header.format == picture.format, "\(header.format) in the header")
        verdict.require(header.size == picture.size, "\(header.size) in the header, \(picture.size) decoded")
        verdict.require(
            header.frameCount == frames,
            "\(header.frameCount.map { "\($0)" } ?? "unknown") frames in the header, \(frames) decoded")
        try judgePixels(of: picture.bitmap, row, "", &verdict)
    }

    /// The upright image must be the stored one, rotated as EXIF defines.
    private func judgeUpright(
        _ stored: DecodedImage, _ header: ImageHeader, _ data: Data, _ verdict: inout ConformanceVerdict
    ) throws {
        let orientation = header.orientation.rawValue
        guard orientation > 1 else { return }
        let upright = try decode(data, appliesOrientation: true).0.bitmap
        verdict.require(upright.size == header.uprightSize, "\(upright.size) when upright")
        guard upright.size == header.uprightSize else { return }
        let (right, bottom) = (stored.size.width - 1, stored.size.height - 1)
        // About ten thousand pixels of a large image, and all pixels of a small one.
        for y in stride(from: 0, to: upright.size.height, by: 1 + upright.size.height / 100) {
            for x in stride(from: 0, to: upright.size.width, by: 1 + upright.size.width / 100) {
                let (column, row) =
                    switch orientation {
                    case 2: (right - x, y)
                    case 3: (right - x, bottom - y)
                    case 4: (x, bottom - y)
                    case 5: (y, x)
                    case 6: (y, bottom - x)
                    case 7: (right - y, bottom - x)
                    default: (right - y, x)
                    }
                guard upright[x, y] == stored.bitmap[column, row] else {
                    return verdict.require(false, "not the stored image, rotated by orientation \(orientation)")
                }
            }
        }
    }

    // MARK: Animations

    /// Checks the frame count, the raw delays, the pixels and the loop count.
    private func judgeFrames(_ picture: DecodedImage, _ verdict: inout ConformanceVerdict) async throws {
        let row = verdict.row
        let count = row.number("frames") ?? 1
        guard row.outcome == "ok", count > 1, row.format != "jpeg", row.format != "png" else {
            verdict.require(row.outcome != "ok" || picture.animation == nil, "an animation, not a still image")
            return await judgeSizes(picture, &verdict)
        }
        guard let animation = picture.animation, animation.frameCount == count else {
            return verdict.require(false, "\(picture.animation?.frameCount ?? 1) frames, not \(count)")
        }
        let loops: LoopCount = row.plays == 0 ? .forever : .times(row.plays)
        verdict.require(animation.loopCount == loops, "loop count \(animation.loopCount), not \(loops)")
        let lines = corpus.frames[row.file] ?? []
        verdict.require(!row.hasPixels || lines.count == count, "FRAMES.tsv has \(lines.count) of \(count) frames")
        for line in lines {
            guard let index = line.number("index"), (0..<count).contains(index), let delay = line.number("delay_ms")
            else { return verdict.require(false, "\(line.place) has no valid frame index or no delay") }
            // APNG counts in arbitrary fractions of a second; the set has whole milliseconds.
            let difference = (animation.rawDelays[index] - .milliseconds(delay)) / .milliseconds(1)
            verdict.require(abs(difference) < 1, "frame \(index) has a delay of \(animation.rawDelays[index])")
            let bitmap = try await animation.frame(at: index)
            verdict.require(bitmap.size == picture.size, "frame \(index) has a size of \(bitmap.size)")
            if index == 0, picture.format != .png {
                verdict.require(bitmap == picture.bitmap, "the first frame is not the still image")
            }
            try judgePixels(of: bitmap, line, "frame \(index): ", &verdict)
        }
    }

    /// Each frame of a damaged animation must have the right size or be an error.
    private func judgeSizes(_ picture: DecodedImage, _ verdict: inout ConformanceVerdict) async {
        guard let animation = picture.animation else { return }
        for index in 0..<animation.frameCount {
            do throws(ImageLoaderError) {
                let size = try await animation.frame(at: index).size
                verdict.require(size == picture.size, "frame \(index) has a size of \(size)")
            } catch {
                return judge(error, &verdict)
            }
        }
    }

    // MARK: Pixels

    /// Checks the pixels. `line` describes a still image or a frame.
    private func judgePixels(
        of bitmap: Bitmap, _ line: ImageCorpus.Row, _ name: String, _ verdict: inout ConformanceVerdict
    ) throws {
        guard line.hasPixels else { return }
        let pixels = bitmap.withBytes { bytes in bytes.withUnsafeBytes { [UInt8]($0) } }
        var found = "pixels differ from the reference"
        if line.check == "mad", line.stillHash == line["sha256_premul"], line["ref_file"] != "-" {
            let difference = try meanDifference(pixels, bitmap.size, line)
            let tolerance = Double(line["tol_mad"]) ?? 0
            if difference <= tolerance { return }
            found = "pixels differ by \(difference) from the reference, more than \(tolerance)"
        }
        let digest = SHA256.digest(of: pixels).hexadecimal
        // The other hashes are of straight colors, which are the same without half-transparent pixels.
        let others =
            line["alpha"] == "translucent"
            ? [RoundedSamples.hashes[line["sha256_file"]]] : [line["sha256_rgba"], line["sha256_alt"]]
        let isAccepted = ([line.stillHash] + others).contains(digest)
        verdict.require(isAccepted, name + found)
    }

    /// The mean absolute difference from the samples of the reference, both premultiplied.
    private func meanDifference(_ pixels: [UInt8], _ size: PixelSize, _ line: ImageCorpus.Row) throws -> Double {
        let reference = try [UInt8](corpus.contents(of: line["ref_file"]).dropFirst(line.number("ref_offset") ?? 0))
        guard let columns = line.number("ref_cols"), let rows = line.number("ref_rows"), columns > 0, rows > 0,
            reference.count >= columns * rows * 4
        else { throw line.damage("the reference is smaller than ref_cols and ref_rows") }
        let isWhole = columns == size.width && rows == size.height
        var sum = 0
        for j in 0..<rows {
            let y = isWhole ? j : (2 * j + 1) * size.height / (2 * rows)
            for i in 0..<columns {
                let x = isWhole ? i : (2 * i + 1) * size.width / (2 * columns)
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
