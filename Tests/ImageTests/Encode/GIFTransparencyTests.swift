import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

#if GIF
/// Viewers differ in what they show where no image is and where one was cleared: all have to show the same.
struct GIFTransparencyTests {
    /// Composes the file in each way, and with Alcedo's decoder.
    private func expect(_ frames: [Bitmap], in file: Data, _ comment: Comment) throws {
        let compositor = try GIFCompositor(file)
        for ground in GIFCompositor.Ground.allCases {
            #expect(try compositor.frames(on: ground) == frames, "\(comment), \(ground)")
        }
        #expect(try AnimationFixture.frames(of: file) == frames, comment)
    }

    private func box(_ columns: Range<Int>, _ rows: Range<Int>, _ color: SIMD4<UInt8> = [255, 0, 0, 255]) throws
        -> Bitmap
    {
        try Pictures.make(20, 20) { x, y in columns.contains(x) && rows.contains(y) ? color : .zero }
    }

    @Test func transparentMargin_isTransparent() throws {
        let still = try box(5..<15, 5..<15)
        try expect([still], in: GIFEncoder().encode(still), "a still picture")
        // The first color is not that of the corner.
        let full = try Pictures.make(20, 20) { x, y in
            (3..<18).contains(x) ? [UInt8(x * 12), UInt8(y / 2 * 9), 80, 255] : .zero
        }
        try expect([full], in: GIFEncoder().encode(full), "many colors")
        let empty = try Pictures.plain(20, 20, .zero)
        try expect([empty], in: GIFEncoder().encode(empty), "nothing")
    }

    @Test func vanishedAreas_areTransparent() throws {
        let moving = try (0..<4).map { try box(2 + 3 * $0..<9 + 3 * $0, 5..<12) }
        try expect(moving, in: GIFEncoder().encode(AnimationFixture.timed(moving)), "a moving square")
        let blinking = try [box(5..<15, 5..<15), box(0..<0, 0..<0), box(5..<15, 5..<15, [0, 0, 255, 255])]
        try expect(blinking, in: GIFEncoder().encode(AnimationFixture.timed(blinking)), "a square that vanishes")
        let late = try [Pictures.gradient(20, 20).few, box(2..<9, 3..<9), Pictures.plain(20, 20), box(0..<1, 0..<1)]
        try expect(late, in: GIFEncoder().encode(AnimationFixture.timed(late)), "an opaque beginning")
        let empty = try [box(0..<0, 0..<0), box(3..<9, 3..<9), box(0..<0, 0..<0), box(0..<0, 0..<0)]
        try expect(empty, in: GIFEncoder().encode(AnimationFixture.timed(empty)), "an empty beginning")
    }

    @Test(arguments: [(64, 48), (1, 40), (31, 1)])
    func trails_areCleared(_ width: Int, _ height: Int) throws {
        for isOpaque in [false, true] {
            let frames = try AnimationFixture.square(width, height, count: 12, isOpaque: isOpaque)
            try expect(frames, in: GIFEncoder().encode(AnimationFixture.timed(frames)), "opaque: \(isOpaque)")
        }
    }

    @Test func randomAnimations_lookAlike() throws {
        var random = SeededRandom(seed: Fuzz.seed)
        for step in 0..<max(12, Fuzz.steps / 500) {
            let frames = try AnimationFixture.random(&random, colors: step % 2 == 0 ? 5 : 255)
            let compositor = try GIFCompositor(GIFEncoder().encode(AnimationFixture.timed(frames)))
            for ground in GIFCompositor.Ground.allCases {
                must(
                    try compositor.frames(on: ground) == frames,
                    "ALCEDO_FUZZ_SEED=\(Fuzz.seed), step \(step), \(ground)")
            }
        }
    }

    /// A cleared frame needs an index for transparency: of 256 colors, one becomes a similar one.
    @Test func clearedFrame_of256Colors_losesOne() throws {
        let full = try Pictures.make(16, 16) { x, y in [UInt8(y * 16 + x), 90, 200, 255] }
        let hole = try Pictures.make(16, 16) { x, y in x == 9 && y == 9 ? .zero : full[x, y] }
        let compositor = try GIFCompositor(GIFEncoder(dithers: false).encode(AnimationFixture.timed([full, hole])))
        for ground in GIFCompositor.Ground.allCases {
            let frames = try compositor.frames(on: ground)
            #expect(PhotoFixture.likeness(full, frames[0]) > 50)
            #expect(frames[1][9, 9] == .zero && frames[1][9, 8].w == 255, "\(ground)")
        }
    }

    @Test func photosHoles_areTransparent() throws {
        let photo = try PhotoFixture.make(60, 50)
        let frames = try (0..<3).map { number in
            try Pictures.make(60, 50) { x, y in (x / 7 + y / 5) % 3 == number ? .zero : photo[x, y] }
        }
        let compositor = try GIFCompositor(GIFEncoder().encode(AnimationFixture.timed(frames)))
        for ground in GIFCompositor.Ground.allCases {
            for (wanted, shown) in zip(frames, try compositor.frames(on: ground)) {
                for y in 0..<50 {
                    for x in 0..<60 { must(shown[x, y].w == wanted[x, y].w, "(\(x), \(y)), \(ground)") }
                }
                #expect(PhotoFixture.likeness(wanted, shown) > 33)
            }
        }
    }

    /// Pillow takes an animation for opaque otherwise.
    @Test func laterHoles_areAnnouncedByTheFirstFrame() throws {
        let opaque = try [Pictures.gradient(20, 20).few, Pictures.plain(20, 20)]
        let frames = try opaque + [box(2..<9, 3..<9)]
        let file = try GIFEncoder().encode(AnimationFixture.timed(frames))
        #expect(try GIFCompositor(file).images[0].transparent == 0)
        try expect(frames, in: file, "holes at the end")
        let without = try GIFCompositor(GIFEncoder().encode(AnimationFixture.timed(opaque)))
        #expect(without.images[0].transparent == nil)
        // There is no index for it.
        let full = try Pictures.make(16, 16) { x, y in [UInt8(y * 16 + x), 90, 200, 255] }
        let pixel = try Pictures.make(16, 16) { x, y in x == 9 && y == 9 ? [1, 2, 3, 255] : .zero }
        let crowded = try [full, Pictures.plain(16, 16), pixel]
        let images = try GIFCompositor(GIFEncoder().encode(AnimationFixture.timed(crowded))).images
        #expect(images[0].transparent == nil)
        #expect(try AnimationFixture.frames(of: GIFEncoder().encode(AnimationFixture.timed(crowded))) == crowded)
    }

    /// Nothing is said to be transparent in pictures that aren't.
    @Test func opaquePicture_hasNoTransparentIndex() throws {
        for colors in [1, 4, 255, 256] {
            let bitmap = try Pictures.make(16, 16) { x, y in [UInt8((y * 16 + x) % colors), 0, 9, 255] }
            let compositor = try GIFCompositor(GIFEncoder().encode(bitmap))
            #expect(compositor.images.map(\.transparent) == [nil], "\(colors) colors")
        }
    }
}

extension Bitmap {
    /// The same picture with no more than 64 colors.
    fileprivate var few: Bitmap {
        get throws { try Pictures.make(size.width, size.height) { self[$0, $1] & [0xC0, 0xC0, 0xC0, 255] } }
    }
}
#endif
