import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

#if os(Linux) && JPEG && WebP
/// What the encoder's settings do to its files, as their markers tell.
@Suite(.timeLimit(.minutes(1))) struct JPEGEncoderTests {
    /// The markers of a file, read without the library.
    private struct Markers {
        /// 0xC0 for baseline, 0xC2 for progressive.
        private(set) var frame: UInt8 = 0
        /// The sampling factors of each component, horizontal and vertical, as in the file.
        private(set) var sampling: [UInt8] = []
        private(set) var scans = 0
        private(set) var restarts = 0

        init(_ file: Data) {
            let bytes = [UInt8](file)
            var place = 2
            while place + 4 <= bytes.count {
                let (marker, length) = (bytes[place + 1], Int(bytes[place + 2]) << 8 | Int(bytes[place + 3]))
                if [0xC0, 0xC1, 0xC2].contains(marker) {
                    frame = marker
                    sampling = (0..<Int(bytes[place + 9])).map { bytes[place + 11 + $0 * 3] }
                }
                place += 2 + length
                guard marker == 0xDA else { continue }
                scans += 1
                while place + 1 < bytes.count {
                    let next = bytes[place] == 0xFF ? bytes[place + 1] : 0
                    if (0xD0...0xD7).contains(next) { restarts += 1 } else if next != 0 { break }
                    place += 1
                }
            }
        }
    }

    private let decoder = JPEGDecoder()

    private func decoded(_ file: Data) throws -> Bitmap { try decoder.decode(file, limits: DecodeLimits()).bitmap }

    /// Saturated stripes of one pixel, which halved colors blur.
    private func stripes() throws -> Bitmap {
        try Pictures.make(48, 40) { x, _ in x % 2 == 0 ? [250, 20, 20, 255] : [20, 20, 250, 255] }
    }

    private func gray(_ width: Int = 61, _ height: Int = 47) throws -> Bitmap {
        try Pictures.make(width, height) { x, y in
            let gray = UInt8((x * 3 + y * 2) % 256)
            return [gray, gray, gray, 255]
        }
    }

    @Test func defaults_areBaseline() throws {
        let markers = Markers(try JPEGEncoder().encode(PhotoFixture.make(120, 90)))
        #expect(markers.frame == 0xC0 && markers.sampling == [0x22, 0x11, 0x11])
        #expect(markers.scans == 1 && markers.restarts == 0)
    }

    @Test func progressiveFile_hasTheSamePixels() throws {
        let photo = try PhotoFixture.make(120, 90)
        var encoder = JPEGEncoder()
        let baseline = try encoder.encode(photo)
        encoder.isProgressive = true
        let progressive = try encoder.encode(photo)
        let markers = Markers(progressive)
        #expect(markers.frame == 0xC2 && markers.scans > 5)
        #expect(try decoded(progressive) == decoded(baseline))
    }

    @Test(arguments: ChromaSubsampling.allCases)
    func subsampling_isThatOfTheFile(_ subsampling: ChromaSubsampling) throws {
        var encoder = JPEGEncoder()
        encoder.subsampling = subsampling
        let factors: [ChromaSubsampling: UInt8] = [.yuv420: 0x22, .yuv422: 0x21, .yuv444: 0x11]
        let first = try #require(factors[subsampling])
        for isProgressive in [false, true] {
            encoder.isProgressive = isProgressive
            #expect(Markers(try encoder.encode(stripes())).sampling == [first, 0x11, 0x11])
        }
    }

    @Test func fullColors_keepEdges() throws {
        var encoder = JPEGEncoder()
        let halved = try decoded(encoder.encode(stripes()))
        encoder.subsampling = .yuv444
        let full = try decoded(encoder.encode(stripes()))
        #expect(try full.meanSquareDifference(from: stripes()) < 50)
        #expect(try halved.meanSquareDifference(from: stripes()) > 1_000)
    }

    @Test func optimizedTables_areSmaller() throws {
        let photo = try PhotoFixture.make(120, 90)
        var encoder = JPEGEncoder()
        let standard = try encoder.encode(photo)
        encoder.optimizesHuffmanTables = true
        let optimized = try encoder.encode(photo)
        #expect(optimized.count < standard.count)
        #expect(try decoded(optimized) == decoded(standard))
        #expect(Markers(optimized).frame == 0xC0)
    }

    /// 90 pixels are 6 rows of blocks of 16, or 12 of 8.
    @Test func restarts_areAfterRowsOfBlocks() throws {
        let photo = try PhotoFixture.make(120, 90)
        var encoder = JPEGEncoder()
        let plain = try decoded(encoder.encode(photo))
        for (rows, count) in [(1, 5), (2, 2), (6, 0), (65_535, 0)] {
            encoder.restartRows = rows
            let file = try encoder.encode(photo)
            #expect(Markers(file).restarts == count, "\(rows)")
            #expect(try decoded(file) == plain)
        }
        encoder.restartRows = 1
        encoder.subsampling = .yuv444
        #expect(Markers(try encoder.encode(photo)).restarts == 11)
    }

    @Test(arguments: [-1, 65_536])
    func restartRows_areChecked(_ rows: Int) throws {
        var encoder = JPEGEncoder()
        encoder.restartRows = rows
        let error = ImageLoaderError.encodingFailed(
            .jpeg, reason: "\(rows) rows between restarts are not within 0...65535")
        #expect(throws: error) { try encoder.encode(Pictures.gradient(2, 2)) }
    }

    // MARK: Gray

    @Test(arguments: [(1, 1), (7, 1), (17, 9), (61, 47)])
    func grayPicture_hasOneComponent(_ width: Int, _ height: Int) throws {
        let gray = try gray(width, height)
        for isProgressive in [false, true] {
            var encoder = JPEGEncoder(quality: 70)
            encoder.isProgressive = isProgressive
            encoder.restartRows = 1
            let file = try encoder.encode(gray)
            #expect(Markers(file).sampling.count == 1)
            // With a profile it has three, and looks the same.
            let profiled = DecodedImage(
                bitmap: gray, format: nil, originalSize: gray.size, profile: ICCFixture().data)
            let colored = try encoder.encode(profiled)
            #expect(Markers(colored).sampling.count == 3 && colored.count > file.count)
            #expect(try decoded(colored) == decoded(file))
        }
    }

    /// White shows through, which is gray too.
    @Test func transparentGray_isGray() throws {
        let bitmap = try Pictures.make(20, 20) { x, y in
            let alpha = UInt8(x * 12)
            return [alpha / 2, alpha / 2, alpha / 2, alpha]
        }
        let file = try JPEGEncoder(quality: 95).encode(bitmap)
        #expect(Markers(file).sampling.count == 1)
        let read = try decoded(file)
        #expect(abs(Int(read[10, 10].x) - 195) < 6 && read[0, 0].x > 249)
    }

    @Test func oneColoredPixel_isEnough() throws {
        for place in [0, 61 * 20 + 7, 61 * 47 - 1] {
            let gray = try gray()
            let bitmap = try Pictures.make(61, 47) { x, y in y * 61 + x == place ? [9, 9, 8, 255] : gray[x, y] }
            #expect(Markers(try JPEGEncoder().encode(bitmap)).sampling.count == 3)
        }
    }

    // MARK: All settings together

    @Test func randomSettings_areReadAsWritten() throws {
        var random = SeededRandom(seed: Fuzz.seed)
        for step in 0..<max(50, Fuzz.steps / 100) {
            let width = Int.random(in: 1...40, using: &random)
            let height = Int.random(in: 1...40, using: &random)
            let bitmap =
                Bool.random(using: &random) ? try gray(width, height) : try PhotoFixture.make(width, height)
            var encoder = JPEGEncoder(quality: 90)
            encoder.isProgressive = Bool.random(using: &random)
            encoder.subsampling = ChromaSubsampling.allCases.randomElement(using: &random) ?? .yuv420
            encoder.optimizesHuffmanTables = Bool.random(using: &random)
            encoder.restartRows = Int.random(in: 0...3, using: &random)
            let read = try decoded(encoder.encode(bitmap))
            #expect(read.meanSquareDifference(from: bitmap) < 200, "step \(step)")
        }
    }

    /// A file that has to be small is otherwise the one that was asked for.
    @Test func steppedQuality_keepsOtherSettings() throws {
        let photo = try PhotoFixture.make(120, 90)
        var encoder = JPEGEncoder(quality: 95)
        (encoder.isProgressive, encoder.subsampling) = (true, .yuv444)
        let file = try encoder.encode(photo, atMost: encoder.encode(photo).count / 2)
        let markers = Markers(file)
        #expect(markers.frame == 0xC2 && markers.sampling == [0x11, 0x11, 0x11])
        (encoder.isProgressive, encoder.optimizesHuffmanTables, encoder.restartRows) = (false, true, 2)
        let stepped = encoder.stepped(to: 40)
        #expect(stepped.quality == 40 && stepped.optimizesHuffmanTables && stepped.restartRows == 2)
    }
}
#endif
