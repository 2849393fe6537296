import AlcedoTestSupport
import Testing

@testable import Alcedo

/// Bad parameters are errors that name them.
@Suite struct ProcessorErrorTests {
    private static let bad = [-1, -0.001, .nan, .infinity, -.infinity, 1e300]

    private func expect(
        _ processor: any ImageProcessing, _ parameter: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let error = #expect(throws: ImageLoaderError.self, sourceLocation: sourceLocation) {
            try processor.validate()
        }
        expect(error, processor, parameter, sourceLocation)
        // Also for a program that hasn't called it.
        let other = #expect(throws: ImageLoaderError.self, sourceLocation: sourceLocation) {
            try processor.made(of: try Pictures.plain(3, 3))
        }
        expect(other, processor, parameter, sourceLocation)
    }

    private func expect(
        _ error: ImageLoaderError?, _ processor: any ImageProcessing, _ parameter: String,
        _ sourceLocation: SourceLocation = #_sourceLocation
    ) {
        guard case .invalidProcessor(processor.name, parameter, _)? = error else {
            Issue.record("\(processor): \(String(describing: error))", sourceLocation: sourceLocation)
            return
        }
    }

    @Test func numbersOutOfRange_areRejected() throws {
        let mark = try Pictures.plain(2, 2)
        for value in Self.bad {
            expect(.blur(radius: value), "radius")
            expect(.roundedCorners(radius: .pixels(value)), "radius")
            expect(.roundedCorners(radius: .fraction(value)), "radius")
            expect(.roundedCorners(radius: 3, border: PixelBorder(width: value, color: .black)), "border width")
            expect(.circle(border: PixelBorder(width: value, color: .black)), "border width")
            expect(.border(width: value, color: .black), "border width")
            expect(.opacity(value), "opacity")
            expect(.tint(.black, strength: value), "strength")
            expect(.blend(mark, opacity: value), "opacity")
            expect(.watermark(mark, opacity: value), "opacity")
            expect(.colorControls(brightness: value - 1), "brightness")
            expect(.colorControls(contrast: value), "contrast")
            expect(.colorControls(saturation: value), "saturation")
            expect(.colorControls(gamma: value), "gamma")
        }
        expect(.colorControls(gamma: 0), "gamma")
        expect(.roundedCorners(radius: 3, corners: .init(rawValue: 16)), "corners")
        for value in [Int.min, Int.max, 40_000] {
            expect(.watermark(mark, x: value), "x")
            expect(.watermark(mark, y: value), "y")
        }
    }

    @Test func sizesBelowOne_areRejected() {
        for value in [0, -1, Int.min] {
            for size in [PixelSize(width: value, height: 2), PixelSize(width: 2, height: value)] {
                for mode in ResizeProcessor.Mode.allCases { expect(.resize(to: size, mode: mode), "size") }
                expect(.crop(to: size), "size")
                expect(.crop(to: PixelRectangle(x: 0, y: 0, size: size)), "rectangle")
            }
        }
        expect(.crop(to: PixelRectangle(x: -1, y: 0, width: 1, height: 1)), "rectangle")
        expect(.crop(to: PixelRectangle(x: 0, y: Int.min, width: 1, height: 1)), "rectangle")
    }

    @Test func sizesBeyondLimits_areRejected_whenPictureIsKnown() throws {
        let picture = try Pictures.plain(3, 2)
        func reject(_ processor: any ImageProcessing, _ parameter: String, limits: DecodeLimits = DecodeLimits()) {
            #expect(throws: Never.self) { try processor.validate() }
            let error = #expect(throws: ImageLoaderError.self) { try processor.made(of: picture, limits: limits) }
            expect(error, processor, parameter)
        }
        for side in [40_000, Int.max] {
            let size = PixelSize(width: side, height: side)
            for mode in ResizeProcessor.Mode.allCases {
                reject(.resize(to: size, mode: mode, allowsUpscaling: true), "size")
            }
            reject(.crop(to: size), "size")
            reject(.crop(to: PixelRectangle(x: 0, y: 0, size: size)), "rectangle")
        }
        reject(.resize(to: PixelSize(width: 20_000, height: 20_000)), "size")
        var limits = DecodeLimits()
        limits.bitmapBytes = 40
        reject(.resize(to: PixelSize(width: 4, height: 3)), "size", limits: limits)
        for (x, y, width, height) in [(0, 0, 4, 1), (0, 0, 1, 3), (3, 0, 1, 1), (1, 1, 3, 1), (Int.max, 0, 1, 1)] {
            reject(.crop(to: PixelRectangle(x: x, y: y, width: width, height: height)), "rectangle")
        }
        reject(.crop(to: PixelRectangle(x: Int.max, y: 0, width: Int.max, height: 1)), "rectangle")
        reject(.crop(to: PixelSize(width: 4, height: 1)), "size")
    }

    private func validate(
        _ processors: [any ImageProcessing], within limits: DecodeLimits = DecodeLimits()
    ) throws {
        let chain = try #require(ProcessingChain(processors))
        try chain.validate()
        try chain.validate(within: limits)
    }

    /// A wide picture can be fitted into a square, or cover a wide size, that a square one would exceed.
    @Test func sizes_areRejectedEarly_onlyIfAllPicturesExceedThem() throws {
        let (wide, huge) = (PixelSize(width: 10_000, height: 1_000), PixelSize(width: 20_000, height: 20_000))
        let fine: [any ImageProcessing] = [
            .resize(to: wide), .resize(to: wide, mode: .fill, allowsUpscaling: true),
            .resize(to: huge, mode: .fit, allowsUpscaling: true), .resize(to: huge, allowsUpscaling: false),
            .crop(to: wide),
        ]
        for processor in fine { #expect(throws: Never.self) { try validate([processor, .gray()]) } }
        let rectangle = PixelRectangle(x: 0, y: 0, size: huge)
        let refused: [any ImageProcessing] = [
            .resize(to: huge), .resize(to: huge, mode: .fill, allowsUpscaling: true), .crop(to: huge),
            .crop(to: rectangle),
        ]
        for processor in refused {
            let error = ImageLoaderError.invalidProcessor(processor.name, parameter: "size", value: "\(huge)")
            #expect(throws: error) { try validate([processor, .gray()]) }
        }
    }

    /// A processor of a program's own, for which only sizes matter.
    private struct Resizing: ImageProcessing {
        let size: @Sendable (PixelSize) -> PixelSize
        func identify(in identity: inout ProcessorIdentity) {}
        func process(_ picture: Bitmap, _ context: ProcessingContext) -> Bitmap { picture }
        func resultSize(of picture: PixelSize) -> PixelSize { size(picture) }
    }

    private let half = Resizing { PixelSize(width: $0.width / 2, height: $0.height / 2) }
    private let inset = Resizing { PixelSize(width: $0.width - 20, height: $0.height - 20) }
    private let larger = Resizing { PixelSize(width: $0.width + 65_535, height: $0.height) }

    /// A processor that makes nothing of a single pixel may make something of a picture.
    @Test func resultsBelowOnePixel_areNotRejectedEarly() throws {
        let chains: [[any ImageProcessing]] = [
            [half], [inset], [half, inset, half], [.resize(to: PixelSize(width: 9, height: 9)), inset],
        ]
        for chain in chains { #expect(throws: Never.self) { try validate(chain) } }
        let error = ImageLoaderError.invalidProcessor("Resizing", parameter: "size", value: "65536 × 1")
        #expect(throws: error) { try validate([inset, larger]) }
        // The picture of 5 × 40 pixels, and 1 × 20.
        let bytes = try #require(ProcessingChain([inset])).workingBytes(last: PixelSize(width: 5, height: 40))
        #expect(bytes == 4 * (200 + 20))
    }

    @Test func crops_areRejectedEarly_ifNoPictureIsLargeEnough() throws {
        let (small, large) = (PixelSize(width: 100, height: 50), PixelSize(width: 200, height: 200))
        let (wide, part) = (PixelSize(width: 200, height: 40), PixelRectangle(x: 60, y: 0, width: 40, height: 50))
        let far = PixelRectangle(x: 65_000, y: 0, width: 536, height: 1)
        let fine: [[any ImageProcessing]] = [
            [.resize(to: small), .crop(to: small)], [.resize(to: small), .gray(), .crop(to: part)],
            [.resize(to: large), half, .crop(to: small, at: .bottomRight)], [.crop(to: large), .crop(to: small)],
            // Depends on the picture.
            [.resize(to: small, allowsUpscaling: false), .crop(to: wide)],
            [.resize(to: small, mode: .fill, allowsUpscaling: true), .crop(to: wide)],
            [.crop(to: PixelRectangle(x: 65_000, y: 0, width: 535, height: 1))],
        ]
        for chain in fine { #expect(throws: Never.self) { try validate(chain) } }
        let refused: [([any ImageProcessing], String, String)] = [
            ([.resize(to: small), .crop(to: large)], "size", "\(large), larger than \(small)"),
            ([.crop(to: small), .blur(), .crop(to: large)], "size", "\(large), larger than \(small)"),
            ([.resize(to: small), half, .crop(to: small)], "size", "\(small), larger than 50 × 25"),
            (
                [.resize(to: small), .rotate(.half), .rotate(.clockwise), .crop(to: part)], "rectangle",
                "\(part), outside of 50 × 100"
            ),
            ([.crop(to: far)], "rectangle", "\(far), outside of 65535 × 65535"),
        ]
        for (chain, parameter, value) in refused {
            let error = ImageLoaderError.invalidProcessor("CropProcessor", parameter: parameter, value: value)
            #expect(throws: error) { try validate(chain) }
        }
        // Places in the largest picture can be computed.
        var limits = DecodeLimits()
        (limits.side, limits.pixels, limits.bitmapBytes) = (.max, .max, .max)
        #expect(throws: Never.self) { try validate([.crop(to: large, at: .bottomRight)], within: limits) }
    }

    @Test func resultSize_isThatOfTheResult() throws {
        let picture = try Pictures.plain(40, 30)
        let processors: [any ImageProcessing] = [
            .resize(to: PixelSize(width: 7, height: 9)), .resize(to: PixelSize(width: 50, height: 50), mode: .fit),
            .resize(to: PixelSize(width: 50, height: 50), mode: .fill, allowsUpscaling: true),
            .crop(to: PixelSize(width: 5, height: 6)),
            .crop(to: PixelRectangle(x: 3, y: 4, size: PixelSize(width: 8, height: 2))), .rotate(.clockwise),
            .rotate(.half), .rotate(.counterclockwise), .flip(.vertical), .circle(), .blur(radius: 3), .gray(),
            .roundedCorners(radius: .pixels(4)),
        ]
        for processor in processors {
            #expect(try processor.made(of: picture).size == processor.resultSize(of: picture.size), "\(processor)")
        }
    }

    @Test func hugeRoom_isFine_withoutUpscaling() throws {
        let picture = try Pictures.plain(3, 2)
        let processor = ResizeProcessor(to: PixelSize(width: .max, height: .max), mode: .fit)
        #expect(try processor.made(of: picture) === picture)
    }
}
