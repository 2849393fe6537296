import Alcedo
import AlcedoTestSupport
import Foundation

@testable import TestFixtures

#if os(Linux) && JPEG && PNG && GIF && WebP
/// A small file that is made by code, and what is to come of it: the conformance set of every clone.
struct GeneratedFile: Sendable, CustomStringConvertible {
    enum Kind: String, CaseIterable { case jpeg, png, apng, gif, webp }

    /// As in the conformance set: a picture, an error, or either one of what is damaged.
    enum Outcome: String, CaseIterable { case ok, error, partial }

    struct Contents {
        var data: Data
        /// Of a picture that is `partial`.
        var size = PixelSize(width: 0, height: 0)
        /// Of one that is `ok`, as they should be; one for a still picture.
        var frames: [Bitmap] = []
        /// The largest mean square of the differences from those.
        var difference = 0.0
    }

    let kind: Kind
    let outcome: Outcome
    let name: String
    let make: @Sendable () throws -> Contents

    private init(
        _ kind: Kind, _ outcome: Outcome, _ name: String, _ make: @escaping @Sendable () throws -> Contents
    ) {
        (self.kind, self.outcome, self.name, self.make) = (kind, outcome, name, make)
    }

    var description: String { "\(kind), \(outcome): \(name)" }

    static let all = jpeg + png + apng + gif + webp

    private static func ok(
        _ kind: Kind, _ name: String, near difference: Double = 0,
        _ make: @escaping @Sendable () throws -> (Data, [Bitmap])
    ) -> Self {
        Self(kind, .ok, name) {
            let (data, frames) = try make()
            return Contents(data: data, frames: frames, difference: difference)
        }
    }

    private static func error(_ kind: Kind, _ name: String, _ make: @escaping @Sendable () throws -> Data) -> Self {
        Self(kind, .error, name) { Contents(data: try make()) }
    }

    private static func partial(
        _ kind: Kind, _ name: String, _ width: Int, _ height: Int, _ make: @escaping @Sendable () throws -> Data
    ) -> Self {
        Self(kind, .partial, name) { Contents(data: try make(), size: PixelSize(width: width, height: height)) }
    }
}

// MARK: JPEG

extension GeneratedFile {
    private static let jpeg: [GeneratedFile] = [
        ok(.jpeg, "progressive, five scans") {
            (JPEGFixture(blocksPerSide: 3, scans: 5).data, [try Pictures.plain(24, 24, [128, 128, 128, 255])])
        },
        ok(.jpeg, "baseline, in color", near: 12) {
            let picture = try Pictures.gradient(41, 23)
            return (try JPEGEncoder(quality: 95).encode(picture), [picture])
        },
        ok(.jpeg, "one pixel", near: 12) {
            let picture = try Pictures.plain(1, 1)
            return (try JPEGEncoder(quality: 95).encode(picture), [picture])
        },
        ok(.jpeg, "a comment, and bytes behind the end") {
            let file = JPEGFixture(segments: JPEGFixture.segment(0xFE, [1, 0xFF, 3]))
            return (file.data + Data([0, 1, 2]), [try Pictures.plain(8, 8, [128, 128, 128, 255])])
        },
        error(.jpeg, "nothing but start and end") { Data([0xFF, 0xD8, 0xFF, 0xD9]) },
        error(.jpeg, "lossless") { head(0xC3) },
        error(.jpeg, "hierarchical") { head(0xC5) },
        error(.jpeg, "12 bits") { head(0xC1, precision: 12) },
        error(.jpeg, "no pixels") { head(0xC0, width: 0) },
        partial(.jpeg, "the first half", 40, 30) {
            let file = try Pictures.jpeg(40, 30)
            return file.prefix(file.count * 3 / 4)
        },
        partial(.jpeg, "a hole", 40, 30) {
            let file = try Pictures.jpeg(40, 30)
            return file.prefix(file.count * 3 / 4) + Data([0xFF, 0xD9])
        },
        partial(.jpeg, "other bits", 40, 30) {
            var file = try Pictures.jpeg(40, 30)
            file[file.count - 30] ^= 0x55
            return file
        },
        partial(.jpeg, "no end", 24, 24) { JPEGFixture(blocksPerSide: 3, scans: 2).data.dropLast(2) },
    ]

    private static func head(_ marker: UInt8, precision: UInt8 = 8, width: UInt8 = 8) -> Data {
        Data([0xFF, 0xD8] + JPEGFixture.segment(marker, [precision, 0, 8, 0, width, 1, 1, 0x11, 0]))
    }
}

// MARK: PNG

extension GeneratedFile {
    private static let png: [GeneratedFile] = [
        ok(.png, "true color and alpha") {
            let picture = try Pictures.noise(19, 14, seed: 3)
            return (try PNGEncoder().encode(picture), [picture])
        },
        ok(.png, "a palette with a transparent color") {
            let file = PNGFixture(
                width: 2, height: 1, colorType: 3, rows: [0, 0, 1],
                chunksBeforePixels: [("PLTE", [1, 2, 3, 4, 5, 6]), ("tRNS", [0])])
            return (file.data, [try Pictures.make(2, 1) { x, _ in x == 0 ? .zero : [4, 5, 6, 255] }])
        },
        ok(.png, "16 bits of gray and alpha") {
            let file = PNGFixture(width: 1, height: 1, depth: 16, colorType: 4, rows: [0, 0x12, 0xF0, 0xFF, 0xFF])
            return (file.data, [try Pictures.plain(1, 1, [0x13, 0x13, 0x13, 0xFF])])
        },
        ok(.png, "interlaced") {
            // Of 2 × 2 pixels the first, the sixth and the seventh pass have some.
            let file = PNGFixture(
                width: 2, height: 2, colorType: 0, interlaced: true, rows: [0, 10, 0, 20, 0, 30, 40])
            return (
                file.data,
                [
                    try Pictures.make(2, 2) { x, y in
                        let gray = UInt8(10 + x * 10 + y * 20)
                        return [gray, gray, gray, 255]
                    }
                ]
            )
        },
        error(.png, "no pixels") {
            let header = PNGFixture.long(2) + PNGFixture.long(2) + [8, 2, 0, 0, 0]
            return Data(
                PNGFixture.signature + PNGFixture.chunk("IHDR", header) + PNGFixture.chunk("IEND", []))
        },
        error(.png, "a color type that is none") { PNGFixture(width: 1, height: 1, colorType: 5, rows: [0, 1]).data },
        error(.png, "3 bits") { PNGFixture(width: 1, height: 1, depth: 3, colorType: 0, rows: [0, 1]).data },
        error(.png, "no palette") { PNGFixture(width: 1, height: 1, colorType: 3, rows: [0, 0]).data },
        error(.png, "Apple's variant") {
            Data(PNGFixture.signature + PNGFixture.chunk("CgBI", [0x50, 0, 0x20, 2]))
        },
        partial(.png, "the first half", 19, 14) {
            let file = try PNGEncoder().encode(Pictures.noise(19, 14, seed: 3))
            return file.prefix(file.count / 2)
        },
        partial(.png, "a missing row", 2, 3) {
            PNGFixture(width: 2, height: 3, rows: [UInt8](repeating: 0, count: 14)).data
        },
        partial(.png, "a wrong checksum", 2, 3) {
            var file = PNGFixture(width: 2, height: 3, rows: [UInt8](repeating: 0, count: 21)).data
            file[60] ^= 1
            return file
        },
        partial(.png, "a wrong checksum of the unpacked pixels", 2, 3) {
            var bytes = [UInt8](PNGFixture(width: 2, height: 3, rows: [UInt8](repeating: 0, count: 21)).data)
            bytes[60] ^= 1
            PNGFixture.seal(&bytes)
            return Data(bytes)
        },
    ]
}

// MARK: Animated PNG

extension GeneratedFile {
    private static let red: [UInt8] = [255, 0, 0, 255]
    private static let blue: [UInt8] = [0, 0, 255, 255]

    private static func row(_ left: SIMD4<UInt8>, _ right: SIMD4<UInt8>) throws -> Bitmap {
        try Pictures.make(2, 1) { x, _ in x == 0 ? left : right }
    }

    private static let apng: [GeneratedFile] = [
        ok(.apng, "a part, cleared when it goes") {
            let file = APNGFixture(frames: [
                .init(pixels: red + red), .init(x: 1, width: 1, dispose: 1, pixels: blue),
                .init(width: 1, pixels: blue),
            ])
            let (r, b): (SIMD4<UInt8>, SIMD4<UInt8>) = ([255, 0, 0, 255], [0, 0, 255, 255])
            return (file.data, [try row(r, r), try row(r, b), try row(b, .zero)])
        },
        ok(.apng, "laid over what is there") {
            let file = APNGFixture(frames: [
                .init(pixels: red + red), .init(width: 1, blend: 1, pixels: [0, 128, 0, 128]),
            ])
            let r: SIMD4<UInt8> = [255, 0, 0, 255]
            return (file.data, [try row(r, r), try row([127, 64, 0, 255], r)])
        },
        ok(.apng, "a still picture that is no frame") {
            let file = APNGFixture(
                frames: [.init(x: 1, width: 1, pixels: blue), .init(pixels: red + red)], hidden: red + red)
            let r: SIMD4<UInt8> = [255, 0, 0, 255]
            return (file.data, [try row(.zero, [0, 0, 255, 255]), try row(r, r)])
        },
        ok(.apng, "what the encoder writes") {
            let frames = try (0..<3).map { try Pictures.noise(7, 5, seed: $0) }
            return (try PNGEncoder().encode(frames.map { AnimationFrame($0, delay: .milliseconds(40)) }), frames)
        },
        error(.apng, "too large") {
            let frame = APNGFixture.Frame(width: 5_000, height: 5_000, pixels: [])
            return APNGFixture(width: 5_000, height: 5_000, frames: [frame, frame]).data
        },
        error(.apng, "a first frame without all its rows") {
            let frame = APNGFixture.Frame(width: 2, height: 2, pixels: red + red)
            return APNGFixture(width: 2, height: 2, frames: [frame, frame]).data
        },
        error(.apng, "0 pixels") { APNGFixture(width: 0, height: 2, frames: [.init(pixels: [])]).data },
        partial(.apng, "too many frames announced", 2, 1) { APNGFixture(frames: two, claimed: 0x7FFF_FFFF).data },
        partial(.apng, "another count of frames", 2, 1) { APNGFixture(frames: two, claimed: 3).data },
        partial(.apng, "a number left out", 2, 1) { APNGFixture(frames: two, skipsAt: 2).data },
        partial(.apng, "a frame beyond the canvas", 2, 1) {
            APNGFixture(frames: [two[0], .init(x: 1, pixels: blue + blue)]).data
        },
        partial(.apng, "the first 90 %", 2, 1) {
            let file = APNGFixture(frames: two).data
            return file.prefix(file.count * 9 / 10)
        },
    ]

    private static let two: [APNGFixture.Frame] = [.init(pixels: red + red), .init(pixels: blue + blue)]
}

// MARK: GIF

extension GeneratedFile {
    private static let gif: [GeneratedFile] = [
        ok(.gif, "a still picture") { try drawn(.still(9, 7)) },
        ok(.gif, "an animation with all disposals") { try drawn(.animation(8)) },
        ok(.gif, "a palette of its own, interlaced") {
            var file = GIFFixture.still(5, 9)
            file.palette = nil
            file.images[0].palette = [[1, 2, 3], [4, 5, 6], [7, 8, 9], [250, 251, 252]]
            file.images[0].isInterlaced = true
            return try drawn(file)
        },
        ok(.gif, "an image beyond its canvas") {
            var file = GIFFixture.still(6, 6)
            (file.images[0].left, file.images[0].top) = (2, 3)
            return try drawn(file)
        },
        ok(.gif, "no trailer") {
            var file = GIFFixture.animation(8)
            file.end = []
            return try drawn(file)
        },
        error(.gif, "no palette") { damaged { $0.palette = nil } },
        error(.gif, "no image") { damaged { $0.images = [] } },
        error(.gif, "an image of no width") { damaged { $0.images[0].width = 0 } },
        error(.gif, "9 bits for an index") { damaged { $0.images[0].indexBits = 9 } },
        partial(.gif, "the first half of an animation", 6, 5) {
            let file = GIFFixture.animation(6).data
            return file.prefix(file.count / 2)
        },
        partial(.gif, "no end of the pixels", 6, 5) { GIFFixture.still(6, 5).data.dropLast(2) },
        partial(.gif, "no pixels", 6, 5) { damaged { $0.images[0].codes = [] } },
        partial(.gif, "a code that is not defined", 6, 5) { damaged { $0.images[0].codes = [4, 1, 7] } },
    ]

    private static func drawn(_ file: GIFFixture) throws -> (Data, [Bitmap]) {
        (file.data, try GIFFuzzTests.model(file))
    }

    private static func damaged(_ damage: (inout GIFFixture) -> Void) -> Data {
        var file = GIFFixture.still(6, 5)
        damage(&file)
        return file.data
    }
}

// MARK: WebP

extension GeneratedFile {
    private static let webp: [GeneratedFile] = [
        ok(.webp, "lossless, with alpha") {
            let picture = try Pictures.noise(13, 11, seed: 8)
            return (try WebPEncoder(.lossless).encode(picture), [picture])
        },
        ok(.webp, "lossy", near: 12) {
            let picture = try Pictures.gradient(40, 30)
            return (try WebPEncoder(.lossy(quality: 90)).encode(picture), [picture])
        },
        ok(.webp, "an animation") {
            let frames = try (0..<3).map { try Pictures.noise(10, 6, seed: $0) }
            let chunks = try frames.map {
                WebPFixture.Frame(
                    width: 10, height: 6, blends: false,
                    picture: WebPFixture.picture(try WebPEncoder(.lossless).encode($0)))
            }
            return (WebPFixture.animation(10, 6, chunks), frames)
        },
        error(.webp, "0 pixels") { WebPFixture.claim(0, 4) },
        error(.webp, "no picture") { WebPFixture.file(WebPFixture.head(4, 4, [])) },
        error(.webp, "an animation without frames") { WebPFixture.animation(4, 4, []) },
        error(.webp, "a frame beyond the picture") {
            WebPFixture.animation(10, 6, [WebPFixture.Frame(x: 2, width: 10, height: 6, picture: try picture())])
        },
        partial(.webp, "the first half, which says to be all", 10, 6) {
            let file = try WebPEncoder(.lossless).encode(Pictures.noise(10, 6, seed: 0))
            var part = file.prefix(file.count / 2)
            part.replaceSubrange(4..<8, with: WebPFixture.long(part.count - 8))
            return part
        },
        partial(.webp, "other bits", 10, 6) {
            var file = try WebPEncoder(.lossless).encode(Pictures.noise(10, 6, seed: 0))
            file[file.count / 2] ^= 0x55
            return file
        },
        partial(.webp, "longer than there are bytes", 10, 6) {
            var file = try WebPEncoder(.lossless).encode(Pictures.noise(10, 6, seed: 0))
            file.replaceSubrange(4..<8, with: WebPFixture.long(file.count + 100))
            return file
        },
        partial(.webp, "a canvas of another size", 12, 6) {
            WebPFixture.file(WebPFixture.head(12, 6, .alpha), try picture())
        },
    ]

    private static func picture() throws -> [UInt8] {
        WebPFixture.picture(try WebPEncoder(.lossless).encode(Pictures.noise(10, 6, seed: 0)))
    }
}
#endif
