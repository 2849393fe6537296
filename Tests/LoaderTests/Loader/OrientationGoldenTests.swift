import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

#if os(Linux) && JPEG && PNG && WebP && GIF
/// A picture that no turn and no mirror leaves as it is comes out upright, once, on every way that pictures take.
@Suite(.timeLimit(.minutes(2))) struct OrientationGoldenTests {
    private let fixture: LoaderFixture

    /// Encoded once for all cases.
    private static let files = Result {
        try Dictionary(
            uniqueKeysWithValues: Orientation.allCases.flatMap { orientation in
                try kinds.map { ("/\(orientation.rawValue).\($0)", try encoded($0, orientation)) }
            })
    }

    private static func file(_ kind: String, _ orientation: Orientation) throws -> Data {
        try #require(files.get()["/\(orientation.rawValue).\(kind)"])
    }

    init() throws {
        let files = try Self.files.get()
        fixture = try LoaderFixture(
            ScriptedDataLoader { request in files[request.url.path].map { .bytes($0) } ?? .status(404) })
    }

    private static let size = PixelSize(width: 160, height: 96)

    /// Red, green, blue and white quarters; the upper left one is red.
    private static func upright(_ size: PixelSize = size) throws -> Bitmap {
        try Pictures.make(size.width, size.height) { x, y in color(x, y, size) }
    }

    private static func color(_ x: Int, _ y: Int, _ size: PixelSize) -> SIMD4<UInt8> {
        switch (x < size.width / 2, y < size.height / 2) {
        case (true, true): [230, 20, 20, 255]
        case (false, true): [20, 230, 20, 255]
        case (true, false): [20, 20, 230, 255]
        case (false, false): [230, 230, 230, 255]
        }
    }

    /// As a camera stores it that was held so: turned back, with a note of it.
    private static func encoded(_ kind: String, _ orientation: Orientation) throws -> Data {
        let back: [Orientation: Orientation] = [.right: .left, .left: .right]
        let stored = try upright().upright(from: back[orientation] ?? orientation, limits: DecodeLimits())
        let exif = EXIFFixture(orientation: UInt16(orientation.rawValue)).bytes
        if kind == "jpg" { return try JPEGFixture.adding(exif: exif, to: JPEGEncoder(quality: 95).encode(stored)) }
        let png = try PNGEncoder().encode(stored)
        // Behind the image header.
        return png.prefix(33) + PNGFixture.chunk("eXIf", exif) + png.dropFirst(33)
    }

    /// By the middles of the quarters: what scaling makes of the lines between them is no matter here.
    private func isUpright(_ bitmap: Bitmap, _ size: PixelSize = size) -> Bool {
        guard bitmap.size == size else { return false }
        return [(1, 1), (3, 1), (1, 3), (3, 3)].allSatisfy { x, y in
            let (x, y) = (size.width * x / 4, size.height * y / 4)
            return (0..<4).allSatisfy { abs(Int(bitmap[x, y][$0]) - Int(Self.color(x, y, size)[$0])) < 40 }
        }
    }

    private static let kinds = ["jpg", "png"]

    /// The pictures of the test itself: each of the eight is stored in its own way.
    @Test(arguments: kinds)
    func files_areAllDifferent(_ kind: String) throws {
        var request = DecodeRequest(limits: DecodeLimits())
        request.appliesOrientation = false
        let stored = try Orientation.allCases.map { orientation in
            try ImageDecoders.builtIn.decoder(for: Self.file(kind, orientation))
                .decode(Self.file(kind, orientation), request).bitmap
        }
        #expect(stored.filter { isUpright($0) }.count == 1)
        #expect(stored.filter { $0.size == Self.size }.count == 4)
    }

    @Test(arguments: kinds, Orientation.allCases)
    func fullSize_isUpright(_ kind: String, _ orientation: Orientation) async throws {
        let image = try await fixture.makeLoader().image(for: .test("\(orientation.rawValue).\(kind)"))
        #expect(isUpright(image.bitmap))
        #expect(image.originalSize == Self.size)
    }

    /// By the decoder's own means, by ours, and cut.
    @Test(arguments: kinds, Orientation.allCases)
    func downsampled_isUpright(_ kind: String, _ orientation: Orientation) async throws {
        let loader = fixture.makeLoader()
        for (room, mode, expected) in [
            (PixelSize(width: 80, height: 80), .fit, PixelSize(width: 80, height: 48)),
            (PixelSize(width: 64, height: 64), .fit, PixelSize(width: 64, height: 38)),
            (PixelSize(width: 24, height: 24), .fit, PixelSize(width: 24, height: 14)),
            (PixelSize(width: 70, height: 48), .fill, PixelSize(width: 80, height: 48)),
            (PixelSize(width: 48, height: 48), .crop, PixelSize(width: 48, height: 48)),
        ] as [(PixelSize, DecodeTarget.ContentMode, PixelSize)] {
            var request = try ImageRequest.test("\(orientation.rawValue).\(kind)")
            (request.targetSize, request.contentMode) = (room, mode)
            #expect(try await isUpright(loader.image(for: request).bitmap, expected), "\(room), \(mode)")
        }
    }

    /// Another loader's memory is empty: it finds the original, or the picture that was made of it.
    @Test(arguments: kinds, Orientation.allCases)
    func fromDisk_isUpright(_ kind: String, _ orientation: Orientation) async throws {
        for contents in [DiskContents.originals, .processed] {
            for side in [nil, 80] as [Int?] {
                var configuration = fixture.configuration
                configuration.disk?.contents = contents
                var request = try ImageRequest.test("\(orientation.rawValue).\(kind)")
                request.targetSize = side.map { PixelSize(width: $0, height: $0) }
                let first = ImageLoader(configuration, calls: fixture.calls)
                await first.removeAll()
                _ = try await first.image(for: request)
                await first.flush()
                let found = try await ImageLoader(configuration, calls: fixture.calls).response(for: request)
                #expect(found.source == .disk)
                let expected = side == nil ? Self.size : PixelSize(width: 80, height: 48)
                #expect(isUpright(found.image.bitmap, expected), "\(contents), \(side ?? 0)")
            }
        }
    }

    @Test(arguments: kinds, Orientation.allCases)
    func encodedAgain_isUpright(_ kind: String, _ orientation: Orientation) async throws {
        let image = try await fixture.makeLoader().image(for: .test("\(orientation.rawValue).\(kind)"))
        let encoders: [any ImageEncoding] = [
            JPEGEncoder(), PNGEncoder(), WebPEncoder(effort: 0), WebPEncoder(.lossless, effort: 0), GIFEncoder(),
        ]
        for encoder in encoders {
            let decoded = try ImageDecoders.builtIn.decode(encoder.encode(image.bitmap))
            #expect(isUpright(decoded.bitmap), "\(encoder.format)")
        }
        let automatic = try await AutomaticEncoder().encode(image)
        #expect(try isUpright(ImageDecoders.builtIn.decode(automatic).bitmap))
    }
}
#endif
