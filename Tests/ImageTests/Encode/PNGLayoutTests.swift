import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

#if os(Linux) && PNG
/// How the encoder stores pictures: in the smallest way that loses nothing.
@Suite(.timeLimit(.minutes(1))) struct PNGLayoutTests {
    /// The color type and the depth in the file's head.
    private struct Head: Equatable, CustomTestStringConvertible {
        let type: UInt8
        let depth: UInt8

        init(_ type: UInt8, _ depth: UInt8) { (self.type, self.depth) = (type, depth) }
        init(_ file: Data) { self.init(file[25], file[24]) }

        var testDescription: String { "type \(type), \(depth) bits" }
    }

    private static func read(_ file: Data) throws -> DecodedImage {
        try PNGDecoder().decode(file, limits: DecodeLimits())
    }

    /// Encodes with the defaults and as for the cache, and returns the layout that is computed first.
    private func layout(_ bitmap: Bitmap) throws -> Head {
        let layout = PNGLayout(of: bitmap, hasGray: true)
        let file = try PNGEncoder().compress(bitmap, as: layout)
        for file in try [file, PNGEncoder().encode(bitmap), PNGEncoder.exact.encode(bitmap)] {
            #expect(try Self.read(file).bitmap == bitmap)
        }
        return Head(file)
    }

    /// As many colors as wanted, in no order; the first ones with less and less transparency.
    private func colored(_ count: Int, transparent: Int = 0, _ width: Int = 61, _ height: Int = 47) throws -> Bitmap {
        try Pictures.make(width, height) { x, y in
            let number = (y * width + x) * 7 % count
            let alpha = number < transparent ? UInt8(number * 254 / max(1, transparent - 1)) : 255
            let color = SIMD4<UInt8>(UInt8(number % 256), UInt8(number / 256), 77, 255)
            return pointwiseMin(color, SIMD4(repeating: alpha))
        }
    }

    private func gray(_ grays: [UInt8], alpha: UInt8 = 255) throws -> Bitmap {
        try Pictures.make(61, 47) { x, y in
            let gray = min(grays[(x * 5 + y) % grays.count], alpha)
            return [gray, gray, gray, alpha]
        }
    }

    @Test(arguments: [(1, 1), (2, 1), (3, 2), (4, 2), (5, 4), (16, 4), (17, 8), (255, 8), (256, 8)])
    func fewColors_areAPalette(_ count: Int, _ depth: Int) throws {
        for transparent in [0, 1, count / 2, count] {
            let bitmap = try colored(count, transparent: transparent)
            #expect(try layout(bitmap) == Head(3, UInt8(depth)), "\(transparent)")
        }
    }

    @Test func moreColors_areNot() throws {
        #expect(try layout(colored(257)) == Head(2, 8))
        #expect(try layout(colored(257, transparent: 1)) == Head(6, 8))
        #expect(try layout(Pictures.noise(40, 30, seed: 2)) == Head(6, 8))
    }

    /// Its palette would be larger than its pixels.
    @Test func smallPicture_hasNoPalette() throws {
        #expect(try layout(colored(64, 8, 8)) == Head(2, 8))
        #expect(try layout(Pictures.plain(1, 1)) == Head(2, 8))
        #expect(try layout(Pictures.plain(1, 1, [3, 2, 1, 4])) == Head(6, 8))
        #expect(try layout(Pictures.plain(1, 1, .zero)) == Head(4, 8))
        #expect(try layout(Pictures.plain(1, 1, [255, 255, 255, 255])) == Head(0, 1))
        #expect(try layout(Pictures.plain(1, 1, [254, 254, 254, 255])) == Head(0, 8))
    }

    /// A few soft colors are smaller filtered than as a palette.
    @Test func smallSoftPicture_isFiltered() throws {
        let soft = try Pictures.make(64, 64) { x, _ in [UInt8(x * 4), 0, 255 - UInt8(x * 4), 255] }
        #expect(try layout(soft) == Head(3, 8))
        let file = try PNGEncoder().encode(soft)
        #expect(Head(file) == Head(2, 8) && file.count < 200)
        #expect(try Head(PNGEncoder.exact.encode(soft)) == Head(3, 8))
    }

    @Test func grays_haveAsManyBitsAsTheyNeed() throws {
        #expect(try layout(gray([0, 255])) == Head(0, 1))
        #expect(try layout(gray([0, 85, 170])) == Head(0, 2))
        #expect(try layout(gray([0, 17, 34, 51, 238])) == Head(0, 4))
        #expect(try layout(gray([0, 1])) == Head(3, 1))
        #expect(try layout(gray([0, 1, 85])) == Head(3, 2))
        #expect(try layout(gray((0..<20).map { $0 * 3 })) == Head(0, 8))
        #expect(try layout(gray(Array(0...255))) == Head(0, 8))
    }

    @Test func transparentGrays_haveOneColor() throws {
        let bitmap = try Pictures.make(61, 47) { x, y in
            let alpha = UInt8(x * 4)
            let gray = min(alpha, UInt8(y * 5))
            return [gray, gray, gray, alpha]
        }
        #expect(try layout(bitmap) == Head(4, 8))
        #expect(try layout(gray([0, 9, 50], alpha: 60)) == Head(3, 2))
    }

    /// Colors with a transparency of their own, in an order that would have to be kept otherwise.
    @Test func paletteBeginsWithTransparentColors() throws {
        let colors: [SIMD4<UInt8>] = [[9, 9, 9, 255], .zero, [200, 0, 0, 255], [10, 20, 30, 40]]
        let bitmap = try Pictures.make(40, 30) { x, y in colors[(x / 3 + y) % 4] }
        #expect(try layout(bitmap) == Head(3, 2))
        let file = try PNGEncoder.exact.encode(bitmap)
        let start = try #require(file.firstRange(of: Data("tRNS".utf8)))
        #expect(
            Array(file[start.upperBound - 8..<start.upperBound + 2]) == [0, 0, 0, 2] + Array("tRNS".utf8) + [0, 40])
    }

    @Test(arguments: PNGEncoder.Filter.allCases, [0, 1, 6])
    func filters_loseNothing(_ filter: PNGEncoder.Filter, _ level: Int) throws {
        for bitmap in try [Pictures.noise(33, 21, seed: 5), PhotoFixture.make(40, 30), colored(5), gray([0, 255])] {
            let file = try PNGEncoder(compressionLevel: level, filter: filter).encode(bitmap)
            #expect(try Self.read(file).bitmap == bitmap)
        }
    }

    /// Without compression, the file shows the filter of each row.
    @Test func filter_isTheOneChosen() throws {
        let noise = try Pictures.noise(20, 10, seed: 1)
        let filters: [(PNGEncoder.Filter, UInt8)] = [
            (.none, 0), (.sub, 1), (.up, 2), (.average, 3), (.paeth, 4), (.automatic, 0),
        ]
        for (filter, number) in filters {
            let file = try PNGEncoder(compressionLevel: 0, filter: filter).encode(noise)
            // After the headers of the chunk, of the compressed stream and of its only block.
            let start = try #require(file.firstRange(of: Data("IDAT".utf8))).upperBound + 7
            try #require(Head(file) == Head(6, 8) && file.count > start + 810)
            let numbers = (0..<10).map { file[start + $0 * 81] }
            // The first row has nothing above it, which libpng takes for no difference.
            #expect(numbers.dropFirst() == Array(repeating: number, count: 10).dropFirst(), "\(filter)")
        }
    }

    /// The rows of a photo are filtered, and those of a palette aren't.
    @Test func automaticFilter_suitsThePicture() throws {
        let photo = try PhotoFixture.make(120, 90)
        #expect(try PNGEncoder().encode(photo) == PNGEncoder(filter: .adaptive).encode(photo))
        #expect(
            try PNGEncoder(compressionLevel: 1).encode(photo)
                == PNGEncoder(compressionLevel: 1, filter: .sub).encode(photo))
        let holes = try Pictures.make(64, 48) { x, y in
            x == y ? .zero : SIMD4(repeating: 255).replacing(gray: UInt8(x * 2 + y))
        }
        #expect(try layout(holes) == Head(3, 8))
        #expect(try PNGEncoder().encode(holes) == PNGEncoder(filter: .adaptive).encode(holes))
        let drawn = try colored(40, 300, 250)
        #expect(try PNGEncoder().encode(drawn) == PNGEncoder(filter: .none).encode(drawn))
    }

    /// Ceilings are a little above the sizes with zlib 1.2 and 1.3.
    @Test func files_areSmall() throws {
        let photo = try PhotoFixture.make(120, 90)
        let small = try PNGEncoder().encode(photo).count
        #expect(try small < PNGEncoder(compressionLevel: 1).encode(photo).count)
        #expect(try PNGEncoder(compressionLevel: 9).encode(photo).count <= small)
        let board = try Pictures.make(640, 480) { x, y in
            (x / 40 + y / 40) % 2 == 0 ? [255, 255, 255, 255] : [0, 0, 0, 255]
        }
        #expect(try PNGEncoder().encode(board).count < 400)
        #expect(try PNGEncoder().encode(Pictures.plain(640, 480, .zero)).count < 250)
    }

    // MARK: Profiles

    /// A profile of RGB doesn't suit gray pixels.
    @Test func pictureWithProfile_isNotGray() throws {
        let profile = ICCFixture(colors: [ICCFixture.green, ICCFixture.red, ICCFixture.blue]).data
        let ramp = try Pictures.make(64, 48) { x, y in SIMD4(repeating: 255).replacing(gray: UInt8(x * 2 + y)) }
        let soft = try Pictures.make(64, 48) { x, y in [UInt8(y), UInt8(y), UInt8(y), UInt8(x + 100)] }
        for (bitmap, head) in try [(ramp, Head(3, 8)), (soft, Head(6, 8)), (gray([0, 255]), Head(3, 1))] {
            let image = DecodedImage(bitmap: bitmap, format: nil, originalSize: bitmap.size, profile: profile)
            let file = try PNGEncoder().encode(image)
            #expect(![0, 4].contains(file[25]))
            let read = try Self.read(file)
            #expect(read.bitmap == bitmap && read.profile == profile)
            // As the cache stores it.
            let exact = try PNGEncoder.exact.encode(bitmap)
            let whole = try #require(losslessFile(exact, with: profile, limits: DecodeLimits()))
            #expect(Head(whole) == head)
            let restored = try Self.read(whole)
            #expect(restored.bitmap == bitmap && restored.profile == profile)
        }
    }

    /// The palette of a gray ramp is in order, so that filters help.
    @Test func grayPhotoWithProfile_isFiltered() throws {
        let photo = try PhotoFixture.make(120, 90)
        let gray = try Pictures.make(120, 90) { x, y in SIMD4(repeating: 255).replacing(gray: photo[x, y].y) }
        let image = DecodedImage(
            bitmap: gray, format: nil, originalSize: gray.size, profile: ICCFixture().data)
        let added = try PNGEncoder().encode(image).count - PNGEncoder().encode(gray).count
        #expect(added < 1_500, "\(added) bytes for a palette, a profile and other differences")
    }

    // MARK: Random pictures

    @Test func randomPictures_roundTrip() throws {
        var random = SeededRandom(seed: Fuzz.seed)
        for step in 0..<Fuzz.steps / 40 {
            let width = Int.random(in: 1...40, using: &random)
            let height = Int.random(in: 1...20, using: &random)
            let count = [1, 2, 3, 4, 5, 16, 17, 60, 256, 257, 5_000].randomElement(using: &random) ?? 1
            let isGray = Bool.random(using: &random)
            let alphas: [UInt8] = [[255], [0, 255], Array(0...255)].randomElement(using: &random) ?? []
            let colors = (0..<count).map { _ in
                let alpha = alphas.randomElement(using: &random) ?? 255
                let red = UInt8.random(in: 0...alpha, using: &random)
                let green = isGray ? red : UInt8.random(in: 0...alpha, using: &random)
                return SIMD4(red, green, isGray ? red : UInt8.random(in: 0...alpha, using: &random), alpha)
            }
            let bitmap = try Pictures.make(width, height) { _, _ in colors.randomElement(using: &random) ?? .zero }
            var encoder = PNGEncoder(
                compressionLevel: Int.random(in: 0...9, using: &random),
                filter: PNGEncoder.Filter.allCases.randomElement(using: &random) ?? .automatic)
            encoder.isExact = Bool.random(using: &random)
            #expect(try Self.read(encoder.encode(bitmap)).bitmap == bitmap, "step \(step)")
        }
    }

    /// Colors above their alpha can't be kept, and nothing else goes wrong.
    @Test func impossibleColors_areClamped() throws {
        let bitmap = try Pictures.make(30, 20) { x, y in [255, UInt8(x), 9, UInt8(y)] }
        #expect(throws: ImageLoaderError.self) { try PNGEncoder.exact.encode(bitmap) }
        let read = try Self.read(PNGEncoder().encode(bitmap)).bitmap
        let rgba = try Pictures.make(30, 20) { x, y in
            y == 0 ? .zero : [UInt8(y), UInt8(min(x, y)), UInt8(min(9, y)), UInt8(y)]
        }
        #expect(read == rgba)
    }
}

extension SIMD4<UInt8> {
    fileprivate func replacing(gray: UInt8) -> Self { [gray, gray, gray, w] }
}
#endif
