import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

#if GIF
/// Random damage, and random animations against a plain model of a canvas.
@Suite(.ownThreads) struct GIFFuzzTests {
    @Test func mutatedFilesAreFramesOrErrors() throws {
        var limits = DecodeLimits()
        limits.pixels = 1 << 14
        limits.frames = 40
        let files = [GIFFixture.still(9, 7), .animation(4), Self.deep].map { [UInt8]($0.data) }
        var random = SeededRandom(seed: Fuzz.seed)
        for step in 0..<Fuzz.steps * 2 / 5 {
            var bytes = files[step % files.count]
            Self.damage(&bytes, &random)
            try GIFDamageTests.verify(Data(bytes), limits)
        }
    }

    /// Local palettes, codes of many widths.
    private static var deep: GIFFixture {
        var image = GIFFixture.Image(width: 20, height: 16, indices: (0..<320).map { UInt8($0 * $0 % 251) })
        image.palette = (0..<16).map { [UInt8($0), 1, 2] }
        image.indexBits = 8
        return GIFFixture(width: 20, height: 16, palette: nil, images: [image])
    }

    private static func damage(_ bytes: inout [UInt8], _ random: inout SeededRandom) {
        for _ in 0...random.next() % 4 {
            let place = Int(random.next() % UInt64(bytes.count))
            let value = UInt8(truncatingIfNeeded: random.next())
            switch random.next() % 8 {
            case 0 where bytes.count > 1: bytes.remove(at: place)
            case 1: bytes.insert(value, at: place)
            case 2: bytes[place] = value
            case 3: bytes.removeLast(min(bytes.count - 1, Int(value) / 8))
            default: bytes[place] ^= 1 << (value & 7)
            }
        }
    }

    @Test func randomAnimationsAgreeWithCanvas() throws {
        var random = SeededRandom(seed: Fuzz.seed)
        for step in 0..<max(20, Fuzz.steps / 500) {
            let file = Self.randomAnimation(&random)
            let frames = try GIFDamageTests.frames(of: file.data)
            #expect(frames == (try Self.model(file)), "ALCEDO_FUZZ_SEED=\(Fuzz.seed), step \(step)")
        }
    }

    private static func randomAnimation(_ random: inout SeededRandom) -> GIFFixture {
        func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
        var file = GIFFixture(width: number(1...9), height: number(1...9))
        for _ in 0..<number(1...6) {
            let (width, height) = (number(1...10), number(1...10))
            var image = GIFFixture.Image(
                width: width, height: height, indices: (0..<width * height).map { _ in UInt8(number(0...3)) })
            (image.left, image.top) = (number(0...4), number(0...4))
            image.disposal = number(0...5)
            image.transparent = number(0...2) == 0 ? nil : UInt8(number(0...5))
            image.isInterlaced = number(0...1) == 0
            if number(0...2) == 0 { image.palette = [[UInt8(number(0...255)), 2, 3], [4, 5, 6]] }
            file.images.append(image)
        }
        return file
    }

    /// The frames of a file, by drawing each of its images on a canvas as large as the whole.
    static func model(_ file: GIFFixture) throws -> [Bitmap] {
        var canvas = [SIMD4<UInt8>](repeating: .zero, count: file.width * file.height)
        var frames: [Bitmap] = []
        for image in file.images {
            let before = canvas
            let palette = image.palette ?? file.palette ?? []
            func each(_ body: (_ place: Int, _ index: Int) -> Void) {
                for y in 0..<image.height where image.top + y < file.height {
                    for x in 0..<image.width where image.left + x < file.width {
                        body(
                            (image.top + y) * file.width + image.left + x, Int(image.indices[y * image.width + x]))
                    }
                }
            }
            each { place, index in
                guard index != image.transparent.map(Int.init), palette.indices.contains(index) else { return }
                canvas[place] = [palette[index][0], palette[index][1], palette[index][2], 255]
            }
            frames.append(try Pictures.make(file.width, file.height) { x, y in canvas[y * file.width + x] })
            switch image.disposal {
            case 2: each { place, _ in canvas[place] = .zero }
            case 3, 4: canvas = before
            default: break
            }
        }
        return frames
    }
}
#endif
