#if os(Linux) && JPEG && PNG && GIF && WebP
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The size of what comes out, held against a formula in whole numbers, for every format and way of scaling.
@Suite(.timeLimit(.minutes(5))) struct TargetSizeTests {
    // MARK: Through a loader

    /// 600 × 800 pixels. Encoded once for all cases.
    private static let large = Result { try JPEGEncoder().encode(Pictures.gradient(600, 800)) }

    @Test(arguments: [
        (PixelSize(width: 400, height: 300), DecodeTarget.ContentMode.crop, PixelSize(width: 400, height: 300)),
        (PixelSize(width: 100, height: 100), .fit, PixelSize(width: 75, height: 100)),
        (PixelSize(width: 101, height: 99), .fit, PixelSize(width: 74, height: 99)),
        (PixelSize(width: 33, height: 500), .fit, PixelSize(width: 33, height: 44)),
        (PixelSize(width: 100, height: 100), .fill, PixelSize(width: 100, height: 133)),
        (PixelSize(width: 1, height: 1), .crop, PixelSize(width: 1, height: 1)),
    ])
    func loader_returnsRequestedSize(
        _ box: PixelSize, _ mode: DecodeTarget.ContentMode, _ expected: PixelSize
    ) async throws {
        let file = try Self.large.get()
        let loader = try LoaderFixture(ScriptedDataLoader { _ in .bytes(file) }).makeLoader()
        var request = try ImageRequest.test("a.jpg")
        (request.targetSize, request.contentMode) = (box, mode)
        #expect(try await loader.image(for: request).size == expected)
        // The key of the memory cache has the same size.
        #expect(loader.cachedImage(for: request)?.size == expected)
    }

    @Test func requestSize_isDecodeTarget() {
        for width in 1...600 {
            var request = ImageRequest(data: Data(), id: "a")
            request.targetSize = PixelSize(width: width, height: 601 - width)
            must(ImageVariant(request).target?.size == request.targetSize, "\(width)")
        }
    }

    @Test func sizeBeyondLimits_isRejected() async throws {
        let file = try Pictures.png()
        let loader = try LoaderFixture(ScriptedDataLoader { _ in .bytes(file) }).makeLoader()
        for mode in DecodeTarget.ContentMode.allCases {
            var request = try ImageRequest.test("a.png")
            (request.targetSize, request.contentMode) = (PixelSize(width: .max, height: .max), mode)
            for rounds in [false, true] {
                request.roundsTargetSize = rounds
                request.allowsUpscaling = false
                #expect(try await loader.image(for: request).size == PixelSize(width: 8, height: 6))
                request.allowsUpscaling = true
                let error = await #expect(throws: ImageLoaderError.self) { try await loader.image(for: request) }
                guard case .limitExceeded = error else {
                    Issue.record("\(mode): \(String(describing: error))")
                    continue
                }
            }
        }
    }

    // MARK: Rounded on request

    @Test func roundedSize_isInsideForFit_andOutsideForFill() {
        for side in 1...5_000 {
            let size = PixelSize(width: side, height: 1)
            let inner = size.rounded(for: .fit).width
            #expect(inner <= side && inner > side - max(8, side / 16) && inner >= 1)
            for mode in [DecodeTarget.ContentMode.fill, .crop] {
                let outer = size.rounded(for: mode).width
                #expect(outer >= side && outer < side + max(8, side / 16))
                // A size that is shared is its own.
                for shared in [inner, outer] where shared >= 8 {
                    #expect(PixelSize(width: shared, height: 8).rounded(for: mode).width == shared)
                    #expect(PixelSize(width: shared, height: 8).rounded(for: .fit).width == shared)
                }
            }
        }
        for mode in DecodeTarget.ContentMode.allCases {
            #expect(Set((900..<1_000).map { PixelSize(width: $0, height: 1).rounded(for: mode) }).count <= 8)
            let beyond = PixelSize(width: .max, height: .min).rounded(for: mode)
            #expect(beyond == PixelSize(width: 1 << 24, height: .min))
        }
    }

    @Test func similarSizes_shareImage_onlyOnRequest() async throws {
        let file = try Self.large.get()
        let loader = try LoaderFixture(ScriptedDataLoader { _ in .bytes(file) }).makeLoader()
        func request(_ width: Int, _ mode: DecodeTarget.ContentMode, rounds: Bool) throws -> ImageRequest {
            try .test("a.jpg") {
                ($0.targetSize, $0.contentMode) = (PixelSize(width: width, height: 300), mode)
                $0.roundsTargetSize = rounds
            }
        }
        for (mode, expected) in [
            (.fit, PixelSize(width: 216, height: 288)), (.fill, PixelSize(width: 416, height: 555)),
            (.crop, PixelSize(width: 416, height: 304)),
        ] as [(DecodeTarget.ContentMode, PixelSize)] {
            let image = try await loader.image(for: request(402, mode, rounds: true))
            #expect(image.size == expected)
            #expect(mode != .fit || image.size.width <= 402 && image.size.height <= 300)
            #expect(try loader.cachedImage(for: request(409, mode, rounds: true))?.size == expected)
            #expect(try loader.cachedImage(for: request(402, mode, rounds: false)) == nil)
        }
    }

    // MARK: Through the decoders

    @Test(arguments: Source.allCases)
    func decoder_returnsComputedSize(_ source: Source) async throws {
        var random = SeededRandom(seed: 12)
        for round in 0..<4 {
            let stored = PixelSize(
                width: Int.random(in: 1...90, using: &random), height: Int.random(in: 1...90, using: &random))
            let orientation =
                source.canBeTurned ? try #require(Orientation.allCases.randomElement(using: &random)) : .up
            let file = try source.file(stored, orientation)
            let upright = orientation.swapsSides ? stored.turned : stored
            for _ in 0..<4 {
                let box = PixelSize(
                    width: Int.random(in: 1...120, using: &random), height: Int.random(in: 1...120, using: &random))
                for (mode, upscales) in DecodeTarget.ContentMode.allCases.flatMap({ [($0, false), ($0, true)] }) {
                    let target = DecodeTarget(box, mode: mode, allowsUpscaling: upscales)
                    let expected = Self.formula(upright, target)
                    let image = try ImageDecoders.builtIn.decode(file, DecodeRequest(target: target))
                    let name = "\(stored) \(orientation) \(mode) in \(box), upscaling: \(upscales), round \(round)"
                    must(image.size == expected, "\(name): \(image.size), not \(expected)")
                    must(image.originalSize == upright, name)
                    // The other modes may leave the box where the picture does.
                    must(mode == .fill || image.size.width <= box.width && image.size.height <= box.height, name)
                    guard let animation = image.animation else { continue }
                    must(try await animation.frame(at: 1).size == expected, name)
                }
            }
        }
    }

    @Test func plan_matchesFormula() {
        var random = SeededRandom(seed: 13)
        for _ in 0..<20_000 {
            func side() -> Int { Int.random(in: 1...Int.random(in: 1...70_000, using: &random), using: &random) }
            let original = PixelSize(width: side(), height: side())
            let mode = DecodeTarget.ContentMode.allCases.randomElement(using: &random) ?? .fit
            let target = DecodeTarget(
                PixelSize(width: side(), height: side()), mode: mode, allowsUpscaling: Bool.random(using: &random))
            let size = target.plan(for: original).part
            let isInside = size.width <= target.size.width && size.height <= target.size.height
            guard size == Self.formula(original, target), isInside || mode == .fill else {
                Issue.record("\(original), \(target): \(size)")
                return
            }
        }
    }

    /// Whole numbers only: each side to the nearest pixel, halves up, and at least 1.
    private static func formula(_ own: PixelSize, _ target: DecodeTarget) -> PixelSize {
        let box = target.size
        func nearest(_ side: Int, _ numerator: Int, _ denominator: Int) -> Int {
            max(1, (2 * side * numerator + denominator) / (2 * denominator))
        }
        let isLarger =
            target.mode == .fit
            ? own.width > box.width || own.height > box.height : own.width > box.width && own.height > box.height
        // Whether the width decides: it is the first to meet the box, or, to fill it, the last.
        let (across, down) = (box.width * own.height, box.height * own.width)
        let widthDecides = target.mode == .fit ? across <= down : across > down
        var size = own
        if isLarger || target.allowsUpscaling {
            size =
                widthDecides
                ? PixelSize(width: box.width, height: nearest(own.height, box.width, own.width))
                : PixelSize(width: nearest(own.width, box.height, own.height), height: box.height)
        }
        if target.mode == .crop {
            size = PixelSize(width: min(size.width, box.width), height: min(size.height, box.height))
        }
        return size
    }

    enum Source: CaseIterable {
        case jpeg, progressiveJPEG, png, opaquePNG, interlacedPNG, webP, losslessWebP, gif, movingGIF, apng, movingWebP

        var canBeTurned: Bool { [.jpeg, .progressiveJPEG, .png].contains(self) }

        func file(_ size: PixelSize, _ orientation: Orientation) throws -> Data {
            let (width, height) = (size.width, size.height)
            let exif = EXIFFixture(orientation: UInt16(orientation.rawValue)).bytes
            switch self {
            case .jpeg: return JPEGFixture.adding(exif: exif, to: try JPEGEncoder().encode(gradient(size)))
            case .progressiveJPEG:
                var encoder = JPEGEncoder()
                encoder.isProgressive = true
                return JPEGFixture.adding(exif: exif, to: try encoder.encode(gradient(size)))
            case .png:
                let file = try PNGEncoder().encode(noise(size))
                return file.prefix(33) + PNGFixture.chunk("eXIf", exif) + file.dropFirst(33)
            case .opaquePNG:
                let rows = [UInt8](repeating: 0, count: height * (1 + width * 3))
                return PNGFixture(width: width, height: height, rows: rows).data
            case .interlacedPNG: return PNGFixture.interlaced(width, height).data
            case .webP: return try WebPEncoder(effort: 0).encode(gradient(size))
            case .losslessWebP: return try WebPEncoder(.lossless, effort: 0).encode(noise(size))
            case .gif: return GIFFixture.still(width, height).data
            case .movingGIF:
                var file = GIFFixture.still(width, height)
                file.images.append(.pattern(max(1, width / 2), max(1, height / 2), from: 1))
                return file.data
            case .apng: return try PNGEncoder().encode(frames(size))
            case .movingWebP: return try WebPEncoder(.lossless, effort: 0).encode(frames(size))
            }
        }

        private func gradient(_ size: PixelSize) throws -> Bitmap { try Pictures.gradient(size.width, size.height) }

        private func noise(_ size: PixelSize) throws -> Bitmap { try Pictures.noise(size.width, size.height, seed: 5) }

        private func frames(_ size: PixelSize) throws -> [AnimationFrame] {
            try [1, 2].map {
                AnimationFrame(try Pictures.noise(size.width, size.height, seed: $0), delay: .milliseconds(50))
            }
        }
    }
}
#endif
