#if os(Linux) && TIFF
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(2))) struct TIFFDecoderTests {
    private typealias File = TIFFPageFixture

    private let decoder = TIFFDecoder()

    private func pixels(_ file: File) throws -> [SIMD4<UInt8>] {
        let bitmap = try decoder.decode(file.data, DecodeRequest()).bitmap
        return bitmap.pixels
    }

    private func header(_ file: File) throws -> ImageHeader {
        try decoder.header(of: file.data, limits: DecodeLimits())
    }

    // MARK: Samples

    @Test func rgb_isDecoded() throws {
        let file = File(width: 2, height: 1, chunks: [[1, 2, 3, 250, 251, 252]])
        let image = try ImageDecoders.builtIn.decode(file.data)
        #expect(image.bitmap.pixels == [[1, 2, 3, 255], [250, 251, 252, 255]])
        #expect(image.format == .tiff && image.isOpaque && image.profile == nil && image.animation == nil)
        let header = try header(file)
        #expect(header.hasAlpha == false && header.bitsPerSample == 8 && header.frameCount == 1)
    }

    @Test(arguments: [1, 2, 4, 8])
    func gray_ofFewBits_coversTheWholeRange(_ bits: Int) throws {
        let last = (1 << bits) - 1
        // The darkest and the brightest one, in the highest bits.
        let pair = last << (8 - 2 * bits)
        let row = bits == 8 ? [0, 255] : [UInt8(pair & 255)]
        for (colors, expected) in [(File.Colors.gray, [0, 255]), (.inverted, [255, 0])] {
            let file = File(width: 2, height: 1, colors: colors, bits: bits, samples: 1, chunks: [row])
            #expect(try pixels(file).map(\.x) == expected.map { UInt8($0) })
        }
    }

    /// The nearest value, not the high byte.
    @Test(arguments: [true, false]) func deepSamples_areRounded(_ isLittleEndian: Bool) throws {
        let words = [128, 129, 0x80FF, 65_535, 65_407, 65_406]
        let bytes = words.flatMap { word in
            let pair = [UInt8(word & 255), UInt8(word >> 8)]
            return isLittleEndian ? pair : pair.reversed()
        }
        let file = File(
            width: 6, height: 1, colors: .gray, bits: 16, samples: 1, chunks: [bytes], isLittleEndian: isLittleEndian)
        #expect(try pixels(file).map(\.x) == [0, 1, 128, 255, 255, 254])
        #expect(try header(file).bitsPerSample == 16)
    }

    @Test func samplesOfTwelveBits_areRead() throws {
        let file = File(width: 2, height: 1, colors: .gray, bits: 12, samples: 1, chunks: [[0xFF, 0xF0, 0x08]])
        #expect(try pixels(file).map(\.x) == [255, 0])
    }

    @Test func palette_isLookedUp() throws {
        // Red, green and blue of all four colors.
        let palette = [0, 65_535, 0, 128 * 257, 0, 0, 65_535, 1, 7 * 257, 0, 0, 2]
        var file = File(width: 4, height: 1, colors: .palette, bits: 2, samples: 1, chunks: [[0b00011011]])
        file.fields[320] = .words(palette)
        let expected: [SIMD4<UInt8>] = [[0, 0, 7, 255], [255, 0, 0, 255], [0, 255, 0, 255], [128, 0, 0, 255]]
        #expect(try pixels(file) == expected)
    }

    @Test func inks_withoutProfile_areConvertedByArithmetic() throws {
        let file = File(
            width: 2, height: 1, colors: .inks, samples: 4, chunks: [[0, 255, 55, 0, 0, 0, 0, 155]])
        #expect(try pixels(file) == [[255, 0, 200, 255], [100, 100, 100, 255]])
    }

    @Test func yCbCr_isConverted() throws {
        let file = File(width: 2, height: 1, colors: .yCbCr, chunks: [[90, 128, 128, 255, 128, 128]])
        var plain = file
        plain.fields[530] = .words([1, 1])
        #expect(try pixels(plain) == [[90, 90, 90, 255], [255, 255, 255, 255]])
    }

    // MARK: Alpha

    @Test func unassociatedAlpha_isMultiplied() throws {
        var file = File(width: 2, height: 1, samples: 4, chunks: [[200, 100, 0, 128, 9, 9, 9, 0]])
        file.fields[338] = .words([2])
        let image = try decoder.decode(file.data, DecodeRequest())
        #expect(image.bitmap.pixels == [[100, 50, 0, 128], [0, 0, 0, 0]])
        #expect(!image.isOpaque)
        #expect(try header(file).hasAlpha == true)
    }

    @Test func associatedAlpha_isKept() throws {
        var file = File(width: 2, height: 1, samples: 4, chunks: [[100, 50, 0, 128, 9, 9, 9, 4]])
        file.fields[338] = .words([1])
        // No color may exceed its alpha.
        #expect(try pixels(file) == [[100, 50, 0, 128], [4, 4, 4, 4]])
    }

    @Test func otherExtraSample_isNoAlpha() throws {
        var file = File(width: 1, height: 1, samples: 5, chunks: [[10, 20, 30, 40, 51]])
        file.fields[338] = .words([0, 0])
        #expect(try pixels(file) == [[10, 20, 30, 255]])
        file.fields[338] = .words([0, 2])
        #expect(try pixels(file) == [[2, 4, 6, 51]])
    }

    // MARK: Layout

    @Test func strips_areInOrder() throws {
        let rows: [[UInt8]] = (0..<5).map { [UInt8($0), UInt8($0) * 2] }
        let file = File(
            width: 2, height: 5, colors: .gray, samples: 1,
            chunks: [rows[0] + rows[1], rows[2] + rows[3], rows[4]], rowsPerStrip: 2)
        #expect(try pixels(file).map(\.x) == rows.flatMap { $0 })
    }

    @Test func planes_areJoined() throws {
        var file = File(
            width: 2, height: 2, samples: 4,
            chunks: [[1, 2], [3, 4], [5, 6], [7, 8], [9, 10], [11, 12], [255, 255], [255, 0]], rowsPerStrip: 1,
            isPlanar: true)
        file.fields[338] = .words([2])
        #expect(try pixels(file) == [[1, 5, 9, 255], [2, 6, 10, 255], [3, 7, 11, 255], [0, 0, 0, 0]])
    }

    /// 20 × 18 pixels in tiles of 16 × 16, of which all but the first one have padding.
    private func tiled(isPlanar: Bool) -> File {
        func tile(_ column: Int, _ row: Int, _ channels: [Int]) -> [UInt8] {
            (0..<256).flatMap { place in
                channels.map { color($0, column * 16 + place % 16, row * 16 + place / 16) }
            }
        }
        let places = [(0, 0), (1, 0), (0, 1), (1, 1)]
        let chunks =
            isPlanar
            ? (0..<3).flatMap { channel in places.map { tile($0.0, $0.1, [channel]) } }
            : places.map { tile($0.0, $0.1, [0, 1, 2]) }
        return File(width: 20, height: 18, chunks: chunks, tile: (16, 16), isPlanar: isPlanar)
    }

    private func color(_ channel: Int, _ x: Int, _ y: Int) -> UInt8 { UInt8((channel * 50 + x * 5 + y * 3) & 255) }

    @Test(arguments: [false, true]) func tiles_areJoined(_ isPlanar: Bool) throws {
        let expected = (0..<18 * 20).map { index in
            SIMD4(
                color(0, index % 20, index / 20), color(1, index % 20, index / 20), color(2, index % 20, index / 20),
                255)
        }
        #expect(try pixels(tiled(isPlanar: isPlanar)) == expected)
    }

    @Test func onlyFirstPage_isRead() throws {
        var file = File(width: 1, height: 1, chunks: [[1, 2, 3]])
        let first = file.bytes
        file.next = first.count
        let image = try decoder.decode(Data(file.bytes + [1, 0, 0, 1, 3, 0, 1, 0, 0, 0, 9, 0, 0, 0]), DecodeRequest())
        #expect(image.bitmap.pixels == [[1, 2, 3, 255]])
    }

    @Test func directoryThatNamesItself_isRead() throws {
        var file = File(width: 1, height: 1, chunks: [[1, 2, 3]])
        file.next = 8
        #expect(try pixels(file) == [[1, 2, 3, 255]])
    }

    // MARK: Properties

    @Test func orientation_isAppliedOnce() throws {
        var file = File(width: 2, height: 1, chunks: [[1, 2, 3, 4, 5, 6]])
        file.fields[274] = .words([6])
        #expect(try header(file).orientation == .right)
        let image = try ImageDecoders.builtIn.decode(file.data)
        #expect(image.size == PixelSize(width: 1, height: 2))
        #expect(image.bitmap.pixels == [[1, 2, 3, 255], [4, 5, 6, 255]])
        var request = DecodeRequest()
        request.appliesOrientation = false
        #expect(try decoder.decode(file.data, request).size == PixelSize(width: 2, height: 1))
    }

    @Test func profile_isHandedOn() throws {
        let profile = try #require(ColorDescription(primaries: 12, transfer: 13)?.profile(isGray: false))
        var file = File(width: 1, height: 1, chunks: [[1, 2, 3]])
        file.fields[34_675] = .bytes([UInt8](profile))
        #expect(try header(file).profileBytes == profile.count)
        #expect(try decoder.decode(file.data, DecodeRequest()).profile == profile)
        var limits = DecodeLimits()
        limits.metadataBytes = 10
        #expect(throws: ImageLoaderError.limitExceeded(.metadataBytes, value: profile.count, allowed: 10)) {
            try decoder.header(of: file.data, limits: limits)
        }
    }

    @Test func metadata_isRead() throws {
        var file = File(width: 1, height: 1, chunks: [[1, 2, 3]])
        file.fields[0x010F] = .text("Works")
        file.fields[0x011A] = .fractions([(300, 1)])
        file.fields[0x011B] = .fractions([(300, 1)])
        var request = DecodeRequest()
        request.keepsMetadata = true
        let metadata = try #require(try decoder.decode(file.data, request).metadata)
        #expect(metadata.camera.make == "Works" && metadata.resolution?.horizontal == 300)
    }

    // MARK: Targets

    @Test(arguments: [false, true]) func scaledRows_areThoseOfTheScaledPicture(_ isTiled: Bool) throws {
        let file = isTiled ? tiled(isPlanar: false) : try strips(of: Pictures.noise(90, 70, seed: 3))
        let whole = try decoder.decode(file.data, DecodeRequest())
        let target = PixelSize(width: whole.size.width / 2, height: whole.size.height / 2)
        let scaled = try decoder.decode(file.data, DecodeRequest(target: DecodeTarget(target)))
        #expect(try scaled.bitmap == whole.bitmap.scaled(to: target, from: nil, dividedBy: 1, limits: DecodeLimits()))
    }

    /// Strips of 8 rows, or tiles of 32 × 16, with their padding.
    private func pages() throws -> [(name: String, file: File)] {
        let bitmap = try Pictures.noise(90, 70, seed: 4)
        func chunk(_ x: Int, _ y: Int, _ width: Int, _ height: Int, _ channels: [Int]) -> [UInt8] {
            (0..<width * height).flatMap { place in
                let (x, y) = (min(x + place % width, 89), min(y + place / width, 69))
                return channels.map { bitmap[x, y][$0] }
            }
        }
        let strips = stride(from: 0, to: 70, by: 8).map { chunk(0, $0, 90, min(8, 70 - $0), [0, 1, 2]) }
        func tiles(_ channels: [Int]) -> [[UInt8]] {
            stride(from: 0, to: 70, by: 16).flatMap { y in
                stride(from: 0, to: 90, by: 32).map { chunk($0, y, 32, 16, channels) }
            }
        }
        var lab = File(width: 90, height: 70, colors: .lab, chunks: strips, rowsPerStrip: 8)
        lab.fields[262] = .words([8])
        return [
            ("strips", File(width: 90, height: 70, chunks: strips, rowsPerStrip: 8)), ("CIELab", lab),
            ("tiles", File(width: 90, height: 70, chunks: tiles([0, 1, 2]), tile: (32, 16))),
            (
                "tiled planes",
                File(
                    width: 90, height: 70, chunks: [0, 1, 2].flatMap { tiles([$0]) }, tile: (32, 16), isPlanar: true)
            ),
        ]
    }

    @Test func part_isThatOfTheWhole() throws {
        let parts = [
            PixelRectangle(x: 0, y: 0, width: 1, height: 1), PixelRectangle(x: 31, y: 15, width: 3, height: 2),
            PixelRectangle(x: 33, y: 17, width: 31, height: 15), PixelRectangle(x: 89, y: 69, width: 1, height: 1),
            PixelRectangle(x: 0, y: 40, width: 90, height: 9), PixelRectangle(x: 50, y: 3, width: 40, height: 64),
        ]
        for (name, file) in try pages() {
            let whole = try decoder.decode(file.data, DecodeRequest()).bitmap
            for part in parts {
                let cut = try whole.part(part)
                let image = try decoder.decode(
                    file.data, DecodeRequest(target: DecodeTarget(part.size, region: part)))
                #expect(image.bitmap == cut, "\(name): \(part)")
                let size = PixelSize(width: (part.size.width + 1) / 2, height: (part.size.height + 2) / 3)
                let target = DecodeTarget(size, mode: .fill, region: part)
                let small = try decoder.decode(file.data, DecodeRequest(target: target)).bitmap
                #expect(try small == cut.scaled(to: small.size, limits: .unlimited), "\(name): \(part)")
            }
        }
    }

    private func strips(of bitmap: Bitmap) throws -> File {
        let bytes = bitmap.pixels.flatMap { [$0.x, $0.y, $0.z] }
        return File(width: bitmap.size.width, height: bitmap.size.height, chunks: [bytes])
    }

    // MARK: Bad input

    @Test func missingRows_areAnErrorOrLeftOut() throws {
        let file = File(
            width: 2, height: 4, colors: .gray, samples: 1, chunks: [[1, 2], [3, 4], [5, 6], [7, 8]], rowsPerStrip: 1)
        let cut = file.data.dropLast(3)
        #expect(failure { try decoder.decode(cut, DecodeRequest()) } == .corruptImage)
        var request = DecodeRequest()
        request.damaged = .showWhatIsThere
        let part = try decoder.decode(cut, request)
        #expect(!part.isComplete && !part.isOpaque)
        #expect(part.bitmap.pixels.map(\.x) == [1, 2, 3, 4, 0, 0, 0, 0])
        #expect(part.bitmap.pixels.map(\.w) == [255, 255, 255, 255, 0, 0, 0, 0])
        // Of which nothing is there.
        #expect(failure { try decoder.decode(file.data.dropLast(8), request) } == .corruptImage)
    }

    @Test func everyPrefix_isAnErrorOrThePicture() throws {
        let file = tiled(isPlanar: true)
        let whole = try decoder.decode(file.data, DecodeRequest()).bitmap
        for count in stride(from: 0, to: file.data.count, by: 7) {
            do throws(ImageLoaderError) {
                #expect(try decoder.decode(file.data.prefix(count), DecodeRequest()).bitmap == whole)
            } catch {
                guard case .corruptImage(.tiff, let reason) = error else {
                    Issue.record("\(error)")
                    continue
                }
                #expect(!reason.isEmpty)
            }
        }
    }

    @Test func changedBytes_areHarmless() throws {
        var files: [[UInt8]] = [tiled(isPlanar: true), tiled(isPlanar: false)].map(\.bytes)
        var gray = File(width: 3, height: 2, colors: .palette, bits: 4, samples: 1, chunks: [[1, 2, 3, 4]])
        gray.fields[320] = .words((0..<48).map { $0 })
        files.append(gray.bytes)
        var limits = DecodeLimits()
        limits.pixels = 1 << 16
        limits.bitmapBytes = 1 << 18
        for file in files {
            // The directory and its values.
            for place in 0..<min(file.count, 400) {
                for value: UInt8 in [0, 1, 2, 255] {
                    var damaged = file
                    damaged[place] = value
                    let kind = failure { try decoder.decode(Data(damaged), DecodeRequest(limits: limits)) }
                    #expect(kind == nil || [.corruptImage, .unsupportedImage, .limitExceeded].contains(kind))
                }
            }
        }
    }

    @Test func otherSamples_areUnsupported() throws {
        var file = File(width: 1, height: 1, colors: .gray, bits: 32, samples: 1, chunks: [[0, 0, 0, 0]])
        #expect(failure { try decoder.header(of: file.data, limits: DecodeLimits()) } == .unsupportedImage)
        file = File(width: 1, height: 1, colors: .gray, samples: 1, chunks: [[0]])
        file.fields[339] = .words([2])
        #expect(failure { try decoder.decode(file.data, DecodeRequest()) } == .unsupportedImage)
        file.fields = [259: .words([34_661])]
        #expect(failure { try decoder.decode(file.data, DecodeRequest()) } == .unsupportedImage)
    }

    @Test func hugeTile_exceedsTheLimit() throws {
        let file = File(width: 16, height: 16, chunks: [[1, 2, 3]], tile: (65_536, 65_536))
        #expect(failure { try decoder.decode(file.data, DecodeRequest()) } == .limitExceeded)
    }

    @Test func cancellation_stopsTheDecode() throws {
        let cancellation = DecodeCancellation()
        cancellation.cancel()
        let file = tiled(isPlanar: false)
        #expect(throws: ImageLoaderError.cancelled) {
            try decoder.decode(file.data, DecodeRequest(cancellation: cancellation))
        }
    }
}

extension Bitmap {
    fileprivate var pixels: [SIMD4<UInt8>] {
        (0..<size.width * size.height).map { self[$0 % size.width, $0 / size.width] }
    }
}
#endif
