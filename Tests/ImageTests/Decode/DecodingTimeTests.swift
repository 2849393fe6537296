import Testing

@testable import Alcedo

/// Which images are decoded in a short time, according to what their headers say.
@Suite struct DecodingTimeTests {
    private var header: ImageHeader {
        var header = ImageHeader(format: .jpeg, size: PixelSize(width: 64, height: 64))
        header.frameCount = 1
        return header
    }

    private func time(
        byteCount: Int = 2_000, _ request: DecodeRequest = DecodeRequest(),
        _ change: (inout ImageHeader) -> Void = { _ in }
    ) -> Duration? {
        var header = header
        change(&header)
        return CodecSpeed.jpeg.time(header, byteCount: byteCount, request)
    }

    @Test func smallStillImage_isQuick() throws {
        #expect(try #require(time()) < .microseconds(150))
    }

    @Test func time_growsWithPixelsBytesAndScaling() throws {
        let least = try #require(time())
        #expect(try #require(time { $0.size.width = 65 }) > least)
        #expect(try #require(time(byteCount: 2_001)) > least)
        let target = DecodeTarget(PixelSize(width: 32, height: 32))
        #expect(try #require(time(DecodeRequest(target: target))) > least)
    }

    @Test func imageOfHalfAMegapixel_isNotQuick() throws {
        #expect(try #require(time { $0.size = PixelSize(width: 1_024, height: 512) }) > .microseconds(1_000))
    }

    @Test func unusualFiles_areNotEstimated() {
        #expect(time(byteCount: 64 << 10) != nil)
        #expect(time(byteCount: 64 << 10 + 1) == nil)
        #expect(time { $0.frameCount = 2 } == nil)
        #expect(time { $0.frameCount = nil } == nil)
        #expect(time { $0.isInterlaced = true } == nil)
        #expect(time { $0.coefficientBytes = 1 } == nil)
        #expect(time { $0.profileBytes = 5_000 } == nil)
        #expect(time { $0.size = PixelSize(width: .max, height: 1) } == nil)
        var request = DecodeRequest()
        request.convertsToSRGB = true
        #expect(time(request) == nil)
    }

    @Test func scalingUpToALargeImage_isNotEstimated() {
        var target = DecodeTarget(PixelSize(width: 5_000, height: 5_000))
        target.allowsUpscaling = true
        #expect(time(DecodeRequest(target: target)) == nil)
    }
}
