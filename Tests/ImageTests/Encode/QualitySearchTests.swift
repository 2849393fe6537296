import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

struct QualitySearchTests {
    /// What is found in a search where each quality makes a file of its own size.
    private func search(
        _ sizes: (Int) -> Int, from quality: Int?, downTo lowest: Int = 0, byteLimit: Int
    ) -> (outcome: Result<Int, ImageLoaderError>, tried: [Int]) {
        var search = QualitySearch(from: quality, downTo: lowest, byteLimit: byteLimit)
        var tried = [quality ?? -1]
        search.add(Data(count: sizes(quality ?? -1)))
        while let next = search.next {
            tried.append(next)
            search.add(Data(count: sizes(next)))
        }
        return (Result { () throws(ImageLoaderError) in try search.outcome().count }, tried)
    }

    @Test func bestFit_isFound_inEightTries() {
        for best in 0...100 {
            for quality in [best, 85, 100] where quality >= best {
                let (outcome, tried) = search({ $0 * 10 }, from: quality, byteLimit: best * 10 + 5)
                #expect(outcome == .success(best * 10))
                #expect(tried.count <= 8 && tried[0] == quality)
                #expect(Set(tried).count == tried.count && tried.allSatisfy { (0...quality).contains($0) })
            }
        }
    }

    @Test func immediateFit_isNotRetried() {
        #expect(search({ $0 }, from: 85, byteLimit: 85).tried == [85])
    }

    @Test func missingFit_reportsSmallestSize() {
        let (outcome, tried) = search({ 1_000 + $0 }, from: 85, byteLimit: 999)
        #expect(outcome == .failure(.limitExceeded(.encodedBytes, value: 1_000, allowed: 999)))
        #expect(tried.last == 0)
    }

    @Test func lowestQuality_isRespected() {
        let (outcome, tried) = search({ $0 * 10 }, from: 85, downTo: 40, byteLimit: 399)
        #expect(outcome == .failure(.limitExceeded(.encodedBytes, value: 400, allowed: 399)))
        #expect(tried.allSatisfy { $0 >= 40 } && tried.contains(40))
        #expect(search({ $0 * 10 }, from: 85, downTo: 40, byteLimit: 400).outcome == .success(400))
        // Not below what was asked for, wherever the bounds are.
        #expect(search({ $0 * 10 }, from: 30, downTo: 40, byteLimit: 200).tried == [30])
        #expect(search({ $0 * 10 }, from: 3, downTo: -5, byteLimit: 0).outcome == .success(0))
    }

    @Test func losslessEncoder_triesOnce() {
        #expect(search({ _ in 5 }, from: nil, byteLimit: 5).outcome == .success(5))
        let (outcome, tried) = search({ _ in 5 }, from: nil, byteLimit: 4)
        #expect(outcome == .failure(.limitExceeded(.encodedBytes, value: 5, allowed: 4)))
        #expect(tried == [-1])
    }
}

#if os(Linux) && JPEG && PNG && WebP && GIF
@Suite(.timeLimit(.minutes(1))) struct ByteLimitTests {
    private static let encoders: [any ImageEncoding & QualityStepping] = [
        JPEGEncoder(quality: 95), WebPEncoder(.lossy(quality: 95), effort: 0),
    ]

    /// The search relies on this. Neighboring qualities may be, and are, out of order by some bytes.
    @Test(arguments: encoders)
    func photo_growsWithQuality(_ encoder: any ImageEncoding & QualityStepping) throws {
        let photo = try PhotoFixture.make(120, 90)
        let sizes = try stride(from: 0, through: 100, by: 10).map { try encoder.stepped(to: $0).encode(photo).count }
        #expect(sizes == sizes.sorted())
    }

    @Test(arguments: encoders)
    func bestFit_isWritten(_ encoder: any ImageEncoding & QualityStepping) throws {
        let photo = try PhotoFixture.make(120, 90)
        for quality in [0, 20, 50, 90, 95] {
            let file = try encoder.stepped(to: quality).encode(photo)
            let written = try encoder.encode(photo, atMost: file.count)
            #expect(written.count <= file.count)
            // Sizes of two qualities may be the same, and WebP's may be out of order by a little.
            #expect(written.count * 100 >= file.count * 97)
        }
    }

    @Test(arguments: encoders)
    func missingFit_isAnErrorWithSmallestSize(_ encoder: any ImageEncoding & QualityStepping) throws {
        let photo = try PhotoFixture.make(120, 90)
        let smallest = try encoder.stepped(to: 0).encode(photo).count
        #expect(throws: ImageLoaderError.limitExceeded(.encodedBytes, value: smallest, allowed: smallest - 1)) {
            try encoder.encode(photo, atMost: smallest - 1)
        }
        let bounded = try encoder.stepped(to: 60).encode(photo).count
        #expect(throws: ImageLoaderError.limitExceeded(.encodedBytes, value: bounded, allowed: smallest)) {
            try encoder.encode(photo, atMost: smallest, lowestQuality: 60)
        }
    }

    @Test(arguments: [PNGEncoder(), WebPEncoder(.lossless), GIFEncoder()] as [any ImageEncoding])
    func losslessEncoding_fitsOrFails(_ encoder: any ImageEncoding) throws {
        let photo = try PhotoFixture.make(40, 30)
        let size = try encoder.encode(photo).count
        #expect(try encoder.encode(photo, atMost: size).count == size)
        #expect(throws: ImageLoaderError.limitExceeded(.encodedBytes, value: size, allowed: size - 1)) {
            try encoder.encode(photo, atMost: size - 1)
        }
    }

    @Test func animation_keepsLimit() async throws {
        let photo = try PhotoFixture.make(60, 40)
        let frames = try (0..<3).map { number in
            try Pictures.make(60, 40) { x, y in y / 10 == number ? [9, 9, 9, 255] : photo[x, y] }
        }
        let source = try PNGEncoder().encode(AnimationFixture.timed(frames))
        let animation = try #require(ImageDecoders.builtIn.decode(source).animation)
        let encoder = WebPEncoder(.lossy(quality: 90), effort: 0)
        let whole = try await encoder.encode(animation).count
        let least = try await encoder.stepped(to: 0).encode(animation).count
        let middle = (whole + least) / 2
        let file = try await encoder.encode(animation, atMost: middle)
        #expect((least...middle).contains(file.count))
        #expect(try AnimationFixture.frames(of: file).count == 3)
        await #expect(throws: ImageLoaderError.self) { try await encoder.encode(animation, atMost: least / 2) }
        await #expect(throws: ImageLoaderError.limitExceeded(.encodedBytes, value: source.count, allowed: 10)) {
            try await PNGEncoder().encode(animation, atMost: 10)
        }
    }
}
#endif
