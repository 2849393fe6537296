public import Alcedo
public import Foundation

/// Checks a decoder against the requirements of `ImageDecoding`, for authors of decoders.
///
/// Pass it files of every kind that the decoder reads: with and without transparency, rotated, animated. It can't find
/// wrong colors, because the decoder is its only source of colors. A decoder that traps ends the test.
public struct DecoderCheck: Sendable {
    private let decoder: any ImageDecoding
    private let damages: Int
    private let seed: UInt64

    /// Creates a check of `decoder`.
    ///
    /// - Parameters:
    ///   - decoder: The decoder to check.
    ///   - damages: The number of damaged copies of each file to decode.
    ///   - seed: The seed of the damage. The same seed gives the same damage.
    public init(_ decoder: any ImageDecoding, damages: Int = 200, seed: UInt64 = 1) {
        self.decoder = decoder
        self.damages = damages
        self.seed = seed
    }

    /// Returns the problems found with a valid file; empty if there are none.
    ///
    /// Decodes the file about three hundred times, on the calling thread.
    public func problems(with file: Data) async -> [DecoderProblem] {
        var found = Findings()
        guard let whole = found.value(.format, "decodes", { () throws(ImageLoaderError) in try decode(file) }),
            let header = found.value(
                .header, "reads the head",
                { () throws(ImageLoaderError) in try decoder.header(of: file, limits: DecodeLimits()) })
        else { return found.problems }
        checkHead(file, header, whole, &found)
        checkOrientation(file, header, whole, &found)
        checkTargets(file, header, whole, &found)
        checkLimits(file, header, &found)
        checkParts(file, whole, &found)
        checkDamage(file, &found)
        checkCancellation(file, &found)
        await checkRepetition(file, whole, &found)
        await checkFrames(file, whole, &found)
        return found.problems
    }

    private func decode(_ file: Data, _ request: DecodeRequest = DecodeRequest()) throws(ImageLoaderError)
        -> DecodedImage
    {
        try decoder.decode(file, request)
    }

    // MARK: The rules

    private func checkHead(_ file: Data, _ header: ImageHeader, _ whole: DecodedImage, _ found: inout Findings) {
        let format = decoder.format
        found.expect(.format, ImageFormat(sniffing: file) == format, "the file's first bytes are not of \(format)")
        found.expect(.format, header.format == format, "the header says \(header.format)")
        found.expect(.format, whole.format == format, "the image says \(whole.format.map { "\($0)" } ?? "nothing")")
        found.expect(
            .header, whole.size == header.uprightSize, "\(header.uprightSize) in the header, \(whole.size) decoded")
        found.expect(.header, whole.originalSize == whole.size, "the original size is \(whole.originalSize)")
        let (isPremultiplied, isOpaque) = whole.bitmap.look()
        found.expect(.premultiplication, isPremultiplied, "a color is greater than its alpha")
        if whole.isOpaque { found.expect(.header, isOpaque, "said to be opaque, and is not") }
        if header.hasAlpha == false { found.expect(.header, isOpaque, "the header denies transparency") }
        let bytes = found.value(.workingBytes, "counts") { () throws(ImageLoaderError) in
            try decoder.estimatedCost(header, byteCount: file.count, DecodeRequest()).workingBytes
        }
        if let bytes { found.expect(.workingBytes, bytes >= whole.bitmap.byteCount, "\(bytes) for the whole image") }
    }

    private func checkOrientation(_ file: Data, _ header: ImageHeader, _ whole: DecodedImage, _ found: inout Findings) {
        var request = DecodeRequest()
        request.appliesOrientation = false
        let outcome = found.value(.orientation, "decodes as stored") { () throws(ImageLoaderError) in
            let stored = try decode(file, request)
            return (stored.size, try stored.bitmap.upright(from: header.orientation, limits: DecodeLimits()))
        }
        guard let (size, turned) = outcome else { return }
        found.expect(.orientation, size == header.size, "\(size) as stored, \(header.size) in the header")
        found.expect(.orientation, turned == whole.bitmap, "not what is stored, turned once by \(header.orientation)")
    }

    private func checkTargets(_ file: Data, _ header: ImageHeader, _ whole: DecodedImage, _ found: inout Findings) {
        let size = whole.size
        let rooms = [
            PixelSize(width: (size.width + 1) / 2, height: (size.height + 1) / 2), PixelSize(width: 1, height: 1),
            PixelSize(width: max(1, size.width / 5), height: size.height),
            PixelSize(width: size.width * 2, height: size.height * 2),
        ]
        for mode in DecodeTarget.ContentMode.allCases {
            for (room, allowsUpscaling) in rooms.flatMap({ [($0, false), ($0, true)] }) {
                let target = DecodeTarget(room, mode: mode, allowsUpscaling: allowsUpscaling)
                let name = "\(mode) in \(room)" + (allowsUpscaling ? ", or scaled up" : "")
                let scaled = found.value(.target, name) { () throws(ImageLoaderError) in
                    try decode(file, DecodeRequest(target: target))
                }
                guard let scaled else { continue }
                let expected = target.plan(for: size).part
                found.expect(.target, scaled.size == expected, "\(name): \(scaled.size), not \(expected)")
                found.expect(.target, scaled.originalSize == size, "\(name): said to be of \(scaled.originalSize)")
                found.expect(.premultiplication, scaled.bitmap.look().isPremultiplied, name)
            }
        }
    }

    private func checkLimits(_ file: Data, _ header: ImageHeader, _ found: inout Findings) {
        let (side, pixels) = (max(header.size.width, header.size.height), header.size.width * header.size.height)
        var limits = DecodeLimits()
        limits.side = side - 1
        let sideError = ImageLoaderError.limitExceeded(.imageSide, value: side, allowed: side - 1)
        if side > 1 { expectRefusal(file, limits, sideError, ofHeader: true, &found) }
        limits = DecodeLimits()
        limits.pixels = pixels - 1
        let pixelError = ImageLoaderError.limitExceeded(.imagePixels, value: pixels, allowed: pixels - 1)
        expectRefusal(file, limits, pixelError, ofHeader: true, &found)
        limits = DecodeLimits()
        limits.bitmapBytes = pixels * 4 - 1
        let byteError = ImageLoaderError.limitExceeded(.bitmapBytes, value: pixels * 4, allowed: pixels * 4 - 1)
        expectRefusal(file, limits, byteError, ofHeader: false, &found)
    }

    private func expectRefusal(
        _ file: Data, _ limits: DecodeLimits, _ expected: ImageLoaderError, ofHeader: Bool, _ found: inout Findings
    ) {
        func check(_ name: String, _ body: () throws(ImageLoaderError) -> Void) {
            do throws(ImageLoaderError) {
                try body()
                found.expect(.limits, false, "\(name) in spite of \(expected)")
            } catch {
                found.expect(.limits, error == expected, "\(name) throws \(error), not \(expected)")
            }
        }
        if ofHeader {
            check("header") { () throws(ImageLoaderError) in _ = try decoder.header(of: file, limits: limits) }
        }
        check("decode") { () throws(ImageLoaderError) in _ = try decode(file, DecodeRequest(limits: limits)) }
    }

    /// Decodes up to a hundred truncated copies: the shortest, the longest, and some in between.
    private func checkParts(_ file: Data, _ whole: DecodedImage, _ found: inout Findings) {
        // A copy that lacks the orientation, because it follows the pixels, is shown as stored.
        var asStored = DecodeRequest()
        asStored.appliesOrientation = false
        let stored = found.value(.orientation, "decodes as stored") { () throws(ImageLoaderError) in
            try decode(file, asStored).bitmap
        }
        let step = max(1, file.count / 60)
        let lengths = Set(stride(from: 1, to: file.count, by: step)).union(1..<min(file.count, 20))
            .union(max(1, file.count - 20)..<max(2, file.count))
        for length in lengths.sorted() where length < file.count {
            let part = file.prefix(length)
            do throws(ImageLoaderError) {
                let picture = try decode(part)
                let (frames, all) = (picture.animation?.frameCount ?? 1, whole.animation?.frameCount ?? 1)
                // A GIF doesn't say how many images follow, so it is complete if it ends after any image.
                let hasItsFrames = decoder.format == .gif ? frames <= all : frames == all
                let isWhole = [whole.bitmap, stored].contains(picture.bitmap) && hasItsFrames
                found.expect(.truncation, isWhole, "\(length) of \(file.count) bytes are taken for an image")
            } catch {
                found.expect(.truncation, error != .cancelled, "\(length) bytes are said to be cancelled")
                found.expect(.truncation, error.hasReason, "\(length) bytes are refused without a reason")
            }
        }
    }

    private func checkDamage(_ file: Data, _ found: inout Findings) {
        var random = SeededRandom(seed: seed)
        var limits = DecodeLimits()
        // Damage can change the size to any value.
        limits.pixels = 1 << 22
        for number in 0..<damages {
            var damaged = file
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                let place = damaged.startIndex + Int.random(in: 0..<file.count, using: &random)
                damaged[place] = UInt8.random(in: 0...255, using: &random)
            }
            do throws(ImageLoaderError) {
                let picture = try decode(damaged, DecodeRequest(limits: limits))
                let size = try decoder.header(of: damaged, limits: limits).uprightSize
                found.expect(.damage, size == picture.size, "copy \(number): \(picture.size) of a file of \(size)")
                found.expect(.premultiplication, picture.bitmap.look().isPremultiplied, "in damaged copy \(number)")
            } catch {
                found.expect(.damage, error != .cancelled, "copy \(number) is said to be cancelled")
                found.expect(.damage, error.hasReason, "copy \(number) is refused without a reason")
            }
        }
    }

    private func checkCancellation(_ file: Data, _ found: inout Findings) {
        let request = DecodeRequest()
        request.cancellation.cancel()
        do throws(ImageLoaderError) {
            _ = try decode(file, request)
            found.expect(.cancellation, false, "an image for one who had cancelled")
        } catch {
            found.expect(.cancellation, error == .cancelled, "\(error) for one who had cancelled")
        }
    }

    private func checkRepetition(_ file: Data, _ whole: DecodedImage, _ found: inout Findings) async {
        let outcomes = await withTaskGroup(of: Result<Bitmap, ImageLoaderError>.self) { [decoder] group in
            for _ in 0..<4 {
                group.addTask {
                    Result { () throws(ImageLoaderError) in try decoder.decode(file, DecodeRequest()).bitmap }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        let areAlike = outcomes.allSatisfy { $0 == .success(whole.bitmap) }
        found.expect(.repetition, areAlike, "other pixels when it is decoded again")
        let slice = (Data([1, 2, 3]) + file).dropFirst(3)
        let ofSlice = found.value(.slices, "decodes a slice") { () throws(ImageLoaderError) in try decode(slice) }
        if let ofSlice { found.expect(.slices, ofSlice.bitmap == whole.bitmap, "other pixels of a slice") }
    }

    private func checkFrames(_ file: Data, _ whole: DecodedImage, _ found: inout Findings) async {
        var request = DecodeRequest()
        request.frames = .first
        let first = found.value(.frames, "decodes the first frame") { () throws(ImageLoaderError) in
            try decode(file, request)
        }
        if let first {
            found.expect(.frames, first.animation == nil, "an animation where the first frame is asked for")
            found.expect(.frames, first.bitmap == whole.bitmap, "another first frame when it is asked for alone")
        }
        guard let animation = whole.animation else { return }
        found.expect(.frames, animation.frameCount > 1, "an animation of one frame")
        do throws(ImageLoaderError) {
            for index in 0..<animation.frameCount {
                let frame = try await animation.frame(at: index)
                found.expect(.frames, frame.size == whole.size, "frame \(index) is of \(frame.size)")
                found.expect(.premultiplication, frame.look().isPremultiplied, "in frame \(index)")
            }
        } catch {
            found.expect(.frames, false, "a frame can't be read: \(error)")
        }
    }
}

private struct Findings {
    private(set) var problems: [DecoderProblem] = []

    mutating func expect(_ rule: DecoderProblem.Rule, _ isKept: Bool, _ detail: @autoclosure () -> String) {
        if !isKept { problems.append(DecoderProblem(rule: rule, detail: detail())) }
    }

    /// Returns the value of `body`. If it throws, records a problem and returns nil.
    mutating func value<Value>(
        _ rule: DecoderProblem.Rule, _ name: String, _ body: () throws(ImageLoaderError) -> Value
    ) -> Value? {
        do throws(ImageLoaderError) {
            return try body()
        } catch {
            problems.append(DecoderProblem(rule: rule, detail: "\(name): \(error)"))
            return nil
        }
    }
}

extension ImageLoaderError {
    /// False if the error reports a faulty file without giving a reason.
    fileprivate var hasReason: Bool {
        switch self {
        case .corruptImage(_, let reason), .unsupportedImage(_, let reason): !reason.isEmpty
        default: true
        }
    }
}

extension Bitmap {
    /// Examines all pixels.
    fileprivate func look() -> (isPremultiplied: Bool, isOpaque: Bool) {
        withBytes { bytes in
            bytes.withUnsafeBytes { bytes in
                var (isPremultiplied, isOpaque) = (true, true)
                for pixel in stride(from: 0, to: bytes.count, by: 4) {
                    let alpha = bytes[pixel + 3]
                    if max(bytes[pixel], bytes[pixel + 1], bytes[pixel + 2]) > alpha { isPremultiplied = false }
                    if alpha < 255 { isOpaque = false }
                }
                return (isPremultiplied, isOpaque)
            }
        }
    }
}
