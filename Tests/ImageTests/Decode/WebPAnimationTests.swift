import AlcedoTestSupport

#if os(Linux) && WebP
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

struct WebPAnimationTests {
    private let decoder = WebPDecoder()

    private func stored(_ file: Data, _ limits: DecodeLimits = DecodeLimits()) throws -> StoredImage {
        let header = try decoder.header(of: file, limits: limits)
        return try decoder.decodeStored(file, header, atLeast: nil, DecodeRequest(limits: limits))
    }

    private func frames(_ file: Data) throws -> [Bitmap] {
        let animation = try #require(try stored(file).animation)
        var reader = try animation.makeFrames()
        return try animation.delays.map { _ in try reader.next() }
    }

    private static func frame(
        _ bitmap: Bitmap, _ x: Int = 0, _ y: Int = 0, blends: Bool = true, isCleared: Bool = false, delay: Int = 100
    ) throws -> WebPFixture.Frame {
        WebPFixture.Frame(
            x: x, y: y, width: bitmap.size.width, height: bitmap.size.height, delay: delay, blends: blends,
            isCleared: isCleared, picture: WebPFixture.picture(try WebPEncoder(.lossless).encode(bitmap)))
    }

    @Test func delaysAndLoops_areRead() throws {
        let frames = try [0, 10, 16_777_215].map { try Self.frame(Pictures.plain(4, 4), delay: $0) }
        for (loops, expected) in [(0, LoopCount.forever), (1, .times(1)), (65_535, .times(65_535))] {
            let file = WebPFixture.animation(4, 4, loops: loops, frames)
            let animation = try #require(try stored(file).animation)
            #expect(animation.delays == [.zero, .milliseconds(10), .milliseconds(16_777_215)])
            #expect(animation.loopCount == expected)
            #expect(animation.size == PixelSize(width: 4, height: 4) && animation.file == file)
            #expect(try decoder.header(of: file, limits: DecodeLimits()).frameCount == 3)
        }
    }

    @Test func placesFramesAndClearsThem() throws {
        let (red, green): (SIMD4<UInt8>, SIMD4<UInt8>) = ([255, 0, 0, 255], [0, 255, 0, 255])
        let file = try WebPFixture.animation(
            6, 4,
            [
                Self.frame(Pictures.plain(6, 4, red)),
                Self.frame(Pictures.plain(2, 2, green), 2, 2, isCleared: true),
                // A hole, which replaces what was there, and one that lets it through.
                Self.frame(Pictures.plain(1, 1, [0, 0, 0, 0]), blends: false),
                Self.frame(Pictures.plain(1, 1, [0, 0, 0, 0]), 4),
            ])
        func isIn(_ x: Int, _ y: Int, _ columns: Range<Int>, _ rows: Range<Int>) -> Bool {
            columns.contains(x) && rows.contains(y)
        }
        let frames = try frames(file)
        #expect(frames[0] == (try Pictures.plain(6, 4, red)))
        #expect(frames[1] == (try Pictures.make(6, 4) { x, y in isIn(x, y, 2..<4, 2..<4) ? green : red }))
        let last = try Pictures.make(6, 4) { x, y in
            isIn(x, y, 2..<4, 2..<4) || isIn(x, y, 0..<1, 0..<1) ? [0, 0, 0, 0] : red
        }
        #expect(frames[2] == last && frames[3] == last)
    }

    /// Against the formula in doubles.
    @Test func blendsInStraightAlpha() throws {
        let (below, above) = (try Pictures.noise(40, 40, seed: 1), try Pictures.noise(40, 40, seed: 2))
        let frames = try frames(WebPFixture.animation(40, 40, [Self.frame(below), Self.frame(above)]))
        #expect(frames[0] == below)
        func straight(_ pixel: SIMD4<UInt8>) -> [Double] {
            (0..<3).map { pixel[3] == 0 ? 0 : (Double(pixel[$0]) * 255 / Double(pixel[3])).rounded() }
        }
        for y in 0..<40 {
            for x in 0..<40 {
                let (d, s) = (straight(below[x, y]), straight(above[x, y]))
                let (da, sa) = (Double(below[x, y][3]) / 255, Double(above[x, y][3]) / 255)
                let exact = sa + da * (1 - sa)
                let alpha = Int((exact * 255).rounded())
                for channel in 0..<3 {
                    let color = exact == 0 ? 0 : (s[channel] * sa + d[channel] * da * (1 - sa)) / exact
                    let off = Int(frames[1][x, y][channel]) - (Int(color.rounded()) * alpha + 127) / 255
                    must(abs(off) <= 1, "(\(x), \(y))")
                    must(abs(Double(frames[1][x, y][channel]) - color * Double(alpha) / 255) <= 1.01, "(\(x), \(y))")
                }
                must(Int(frames[1][x, y][3]) == alpha, "(\(x), \(y))")
            }
        }
    }

    @Test func eachReaderBeginsAgain() throws {
        let pictures = try (0..<3).map { try Pictures.noise(8, 8, seed: $0) }
        let file = try WebPFixture.animation(8, 8, pictures.map { try Self.frame($0, blends: false) })
        let animation = try #require(try stored(file).animation)
        for _ in 0..<2 {
            var reader = try animation.makeFrames()
            for picture in pictures { #expect(try reader.next() == picture) }
            #expect(failure { try reader.next() } == .corruptImage)
        }
    }

    @Test func firstFrameAlone() throws {
        let pictures = try (0..<2).map { try Pictures.noise(8, 8, seed: $0) }
        let file = try WebPFixture.animation(8, 8, pictures.map { try Self.frame($0) })
        #expect(try decoder.decode(file, limits: DecodeLimits()).animation != nil)
        var request = DecodeRequest()
        request.frames = .first
        let first = try decoder.decode(file, request)
        #expect(first.animation == nil && first.bitmap == pictures[0])
        // One that has no more is no animation.
        let single = try WebPFixture.animation(8, 8, [Self.frame(pictures[1])])
        let image = try decoder.decode(single, limits: DecodeLimits())
        #expect(image.animation == nil && image.bitmap == pictures[1])
    }

    @Test func lossyFramesAndFramesWithAlpha_areRead() throws {
        let (photo, noise) = (try Pictures.gradient(32, 32), try Pictures.noise(16, 16, seed: 3))
        var frames = try [Self.frame(photo), Self.frame(noise, 8, 8)]
        frames[0].picture = WebPFixture.picture(try WebPEncoder(.lossy(quality: 95)).encode(photo))
        frames[1].picture = WebPFixture.picture(try WebPEncoder(.lossy(quality: 95)).encode(noise))
        let composed = try self.frames(WebPFixture.animation(32, 32, frames))
        #expect(composed[0].meanSquareDifference(from: photo) < 12)
        #expect(composed[1][0, 0] == composed[0][0, 0] && composed[1] != composed[0])
        #expect(composed[1][12, 12][3] == 255)
    }

    @Test func limitsAreCheckedBeforeAnyFrameIsRead() throws {
        var limits = DecodeLimits()
        limits.frames = 2
        limits.animationPixels = 64
        let frame = try Self.frame(Pictures.plain(8, 8))
        _ = try stored(WebPFixture.animation(8, 8, [frame, frame]), limits)
        #expect(throws: ImageLoaderError.limitExceeded(.frames, value: 3, allowed: 2)) {
            try decoder.header(of: WebPFixture.animation(8, 8, [frame, frame, frame]), limits: limits)
        }
        for frames in [[], [frame]] {
            #expect(throws: ImageLoaderError.limitExceeded(.animationPixels, value: 72, allowed: 64)) {
                try decoder.header(of: WebPFixture.animation(8, 9, frames), limits: limits)
            }
        }
        let huge = WebPFixture.animation(1 << 24, 1 << 24, [frame])
        #expect(throws: ImageLoaderError.limitExceeded(.imageSide, value: 1 << 24, allowed: 65_535)) {
            try decoder.header(of: huge, limits: DecodeLimits())
        }
    }

    @Test func oversizedFrames_areErrors() throws {
        let frame = try Self.frame(Pictures.plain(4, 4))
        var (right, low, large, empty) = (frame, frame, frame, frame)
        right.x = 6
        low.y = 6
        large.width = 5
        empty.picture = []
        for wrong in [right, low, large, empty] {
            let file = WebPFixture.animation(8, 8, [wrong, frame])
            #expect(failure { try decoder.decode(file, limits: DecodeLimits()) } == .corruptImage)
        }
        #expect(throws: ImageLoaderError.corruptImage(.webp, reason: "an animation without frames")) {
            try decoder.decode(WebPFixture.animation(8, 8, []), limits: DecodeLimits())
        }
    }

    @Test func damagedFrame_isAnError_whenReached() throws {
        let picture = try Pictures.noise(8, 8, seed: 6)
        var frames = try [Self.frame(picture), Self.frame(picture)]
        // Behind the head of its only chunk.
        for index in 13..<frames[1].picture.count { frames[1].picture[index] = 0xFF }
        let animation = try #require(try stored(WebPFixture.animation(8, 8, frames)).animation)
        var reader = try animation.makeFrames()
        #expect(try reader.next() == picture)
        #expect(failure { try reader.next() } == .corruptImage)
    }

    /// Nobody should ask again, and who does gets an error again.
    @Test func readingAgain_isHandled() throws {
        var frame = try Self.frame(Pictures.plain(8, 8))
        for index in 13..<frame.picture.count { frame.picture[index] = 0xFF }
        let file = WebPFixture.animation(8, 8, [frame, frame])
        let limits = DecodeLimits()
        let chunks = try WebPChunks(scanning: file.span, limits: limits)
        var reader = try WebPAnimation(file, chunks, limits).makeFrames()
        for _ in 0..<3 {
            #expect(failure { try reader.next() } == .corruptImage)
        }
    }

    @Test func cancelledReadStops() throws {
        let file = try WebPFixture.animation(8, 8, [Self.frame(Pictures.plain(8, 8))])
        let request = DecodeRequest()
        let header = try decoder.header(of: file, limits: request.limits)
        request.cancellation.cancel()
        #expect(throws: ImageLoaderError.cancelled) {
            try decoder.decodeStored(file, header, atLeast: nil, request)
        }
    }
}
#endif
