import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo

#if os(Linux) && JPEG && PNG && WebP && GIF
/// Files of all kinds that a cache must return unchanged: each opacity, color profile and animation.
enum PictureFixture {
    /// A file, and its name in a test's messages.
    struct File: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: Data

        init(_ name: String, _ bytes: Data) {
            self.name = name
            self.bytes = bytes
        }

        var testDescription: String { name }
    }

    static let stills = Result { try makeStills() }
    static let animations = Result { try makeAnimations() }

    /// An ICC profile that consists of its length, or the claimed one, and random bytes, which can't be compressed
    /// well.
    static func profile(_ count: Int, claiming claim: Int? = nil) -> Data {
        var random = SeededRandom(seed: UInt64(count))
        let rest = (0..<max(0, count - 4)).map { _ in UInt8.random(in: 0...255, using: &random) }
        return Data(PNGFixture.long(claim ?? count) + rest)
    }

    private static func png(_ width: Int, _ height: Int, type: Int, rows: [UInt8], _ chunks: [(String, [UInt8])] = [])
        -> Data
    {
        PNGFixture(width: width, height: height, colorType: type, rows: rows, chunksBeforePixels: chunks).data
    }

    /// The unfiltered rows of a PNG.
    private static func rows(_ width: Int, _ height: Int, _ pixel: (_ x: Int, _ y: Int) -> [UInt8]) -> [UInt8] {
        var rows: [UInt8] = []
        for y in 0..<height {
            rows.append(0)
            for x in 0..<width { rows += pixel(x, y) }
        }
        return rows
    }

    private static func iccp(_ profile: Data) -> (String, [UInt8]) {
        ("iCCP", Array("name\0\0".utf8) + PNGFixture.zlib(Array(profile)))
    }

    /// A lossless WebP of `picture`, with any profile.
    private static func webP(_ picture: Bitmap, profile: Data) throws -> Data {
        let still = try WebPEncoder(.lossless, effort: 0).encode(picture)
        return WebPFixture.file(
            WebPFixture.head(picture.size.width, picture.size.height, [.alpha, .profile]),
            WebPFixture.chunk("ICCP", Array(profile)), WebPFixture.picture(still))
    }

    private static func makeStills() throws -> [File] {
        let noise = try Pictures.noise(61, 47, seed: 3)
        let opaque = rows(40, 30) { x, y in [UInt8(x * 6), UInt8(y * 8), 7, 255] }
        let rgb = rows(30, 20) { x, y in [UInt8(x * 8), UInt8(y * 12), 9] }
        let gray = rows(30, 20) { x, y in [UInt8(x * 8 + y)] }
        let indexed = rows(30, 20) { x, y in [UInt8((x + y) % 3)] }
        let colors: (String, [UInt8]) = ("PLTE", [250, 0, 0, 0, 250, 0, 0, 0, 250])
        var files = [
            File("all alphas", try PNGEncoder().encode(noise)),
            File("an alpha channel that hides nothing", png(40, 30, type: 6, rows: opaque)),
            File("opaque", png(30, 20, type: 2, rows: rgb)),
            File("gray", png(30, 20, type: 0, rows: gray)),
            File("gray with a transparent one", png(30, 20, type: 0, rows: gray, [("tRNS", [0, 40])])),
            File("indexed", png(30, 20, type: 3, rows: indexed, [colors])),
            File("indexed, transparent", png(30, 20, type: 3, rows: indexed, [colors, ("tRNS", [128, 0])])),
            File("one pixel", png(1, 1, type: 2, rows: [0, 1, 2, 3])),
            File("one transparent pixel", png(1, 1, type: 6, rows: [0, 90, 80, 70, 0])),
            File("JPEG", try Pictures.jpeg(64, 48)),
            File("lossy WebP", try WebPEncoder().encode(noise)),
        ]
        for count in [128, 560, 3_144, 100_000, 1_000_000] {
            files.append(File("a profile of \(count) bytes", png(30, 20, type: 2, rows: rgb, [iccp(profile(count))])))
        }
        for bad in [Data([1, 2, 3]), profile(127), profile(200, claiming: 199), profile(90_000, claiming: 12)] {
            files.append(File("a damaged profile of \(bad.count) bytes", try webP(noise, profile: bad)))
        }
        for orientation in Orientation.allCases {
            let exif = EXIFFixture(orientation: UInt16(orientation.rawValue)).bytes
            let turned = png(30, 20, type: 2, rows: rgb, [iccp(profile(300)), ("eXIf", exif)])
            files.append(File("stored \(orientation)", turned))
        }
        return files
    }

    private static func makeAnimations() throws -> [File] {
        let frames = try AnimationFixture.square(33, 21, count: 5, isOpaque: false)
        let opaque = try AnimationFixture.square(33, 21, count: 5, isOpaque: true)
        let delays: [Duration] = [.zero, .milliseconds(10), .milliseconds(70), .seconds(3), .milliseconds(120)]
        func timed(_ frames: [Bitmap]) -> [AnimationFrame] { zip(frames, delays).map { AnimationFrame($0, delay: $1) } }
        let odd = [(1, 3), (0, 0), (65_535, 65_535), (7, 0), (65_535, 7), (1, 65_535)]
        let shown = odd.enumerated().map { number, delay in
            let pixel: [UInt8] = [UInt8(number * 9), 200, 9, 255]
            let pixels = (0..<48 * 32).flatMap { $0 % 5 == number ? [0, 0, 0, 0] : pixel }
            return APNGFixture.Frame(width: 48, height: 32, delay: delay, pixels: pixels)
        }
        let apng = APNGFixture(width: 48, height: 32, plays: 7, frames: shown).data
        let exif = EXIFFixture(orientation: 6).bytes
        let chunks = PNGFixture.chunk("iCCP", iccp(profile(70_000)).1) + PNGFixture.chunk("eXIf", exif)
        let still = try WebPEncoder(.lossless, effort: 0).encode(opaque[0])
        let webP = WebPFixture.Frame(width: 33, height: 21, delay: 70_001, picture: WebPFixture.picture(still))
        return [
            File("GIF", try GIFEncoder().encode(timed(frames), loopCount: .times(3))),
            File("opaque GIF", try GIFEncoder().encode(timed(opaque))),
            File("WebP", try WebPEncoder(.lossless, effort: 0).encode(timed(frames), loopCount: .times(65_535))),
            File("slow WebP", WebPFixture.animation(33, 21, loops: 2, [webP, webP])),
            File("PNG with odd delays", apng),
            File("turned PNG with a profile", apng.prefix(33) + chunks + apng.dropFirst(33)),
        ]
    }
}

/// Everything about an image that affects how it is shown.
struct PictureFacts: Equatable {
    let bitmap: Bitmap
    let isOpaque: Bool
    let profile: Data?
    let originalSize: PixelSize
    let format: ImageFormat?
    var frames: [Bitmap] = []
    var delays: [Duration] = []
    var rawDelays: [Duration] = []
    var loopCount: LoopCount?

    init(_ image: DecodedImage) throws {
        bitmap = image.bitmap
        isOpaque = image.isOpaque
        profile = image.profile
        originalSize = image.originalSize
        format = image.format
        guard let animation = image.animation else { return }
        (delays, rawDelays, loopCount) = (animation.delays, animation.rawDelays, animation.loopCount)
        let reader = animation.makeReader()
        frames = try (0..<animation.frameCount).compactMap { index in
            try reader.make(FrameQueue<Bitmap>.Job(index: index, isStart: index == 0, isSeen: true)).get()
        }
    }

    /// The properties that differ, in words.
    func differences(from other: PictureFacts) -> [String] {
        var names: [String] = []
        if bitmap != other.bitmap { names.append("pixels") }
        if isOpaque != other.isOpaque { names.append("opacity \(isOpaque)") }
        if profile != other.profile { names.append("profile of \(profile?.count ?? 0) bytes") }
        if originalSize != other.originalSize { names.append("original size \(originalSize)") }
        if format != other.format { names.append("format \(format?.rawValue ?? "none")") }
        if frames != other.frames { names.append("\(frames.count) frames") }
        if delays != other.delays { names.append("delays \(delays)") }
        if rawDelays != other.rawDelays { names.append("raw delays \(rawDelays)") }
        if loopCount != other.loopCount { names.append("loops \(String(describing: loopCount))") }
        return names
    }
}
#endif
