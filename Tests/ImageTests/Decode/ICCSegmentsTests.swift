import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

struct ICCSegmentsTests {
    private func part(_ number: UInt8, of count: UInt8, _ content: [UInt8]) -> [UInt8] {
        JPEGFixture.segment(0xE2, Array("ICC_PROFILE\0".utf8) + [number, count] + content)
    }

    private func profile(_ segments: [UInt8], _ limits: DecodeLimits = DecodeLimits()) throws -> Data? {
        let data = JPEGFixture(segments: segments).data
        let markers = try JPEGMarkers(scanning: data.span, limits: limits)
        let profile = markers.profile(in: data.span)
        #expect(markers.profileBytes == profile?.count)
        return profile
    }

    @Test func singlePart_isAProfile() throws {
        #expect(try profile(part(1, of: 1, [7, 8, 9])) == Data([7, 8, 9]))
    }

    @Test func severalParts_areJoinedByTheirNumbers() throws {
        let segments = part(2, of: 3, [4, 5]) + part(1, of: 3, [1, 2, 3]) + part(3, of: 3, [6])
        #expect(try profile(segments) == Data([1, 2, 3, 4, 5, 6]))
    }

    @Test func incompleteParts_areIgnored() throws {
        #expect(try profile([]) == nil)
        #expect(try profile(part(1, of: 2, [1])) == nil)
        #expect(try profile(part(1, of: 3, [1]) + part(3, of: 3, [3])) == nil)
        #expect(try profile(part(0, of: 1, [1])) == nil)
        #expect(try profile(part(2, of: 1, [1])) == nil)
        #expect(try profile(part(1, of: 1, [1]) + part(1, of: 1, [1])) == nil)
        #expect(try profile(part(1, of: 2, [1]) + part(2, of: 3, [1])) == nil)
        #expect(try profile(part(1, of: 1, [])) == nil)
        #expect(try profile(JPEGFixture.segment(0xE2, Array("ICC_PROFILE\0".utf8))) == nil)
        #expect(try profile(JPEGFixture.segment(0xE2, Array("MPF\0".utf8))) == nil)
    }

    @Test func allPartsTogether_haveLimit() throws {
        var limits = DecodeLimits()
        limits.metadataBytes = 5
        let parts = part(1, of: 2, [1, 2, 3]) + part(2, of: 2, [4, 5])
        #expect(try profile(parts, limits)?.count == 5)
        limits.metadataBytes = 4
        #expect(throws: ImageLoaderError.limitExceeded(.metadataBytes, value: 5, allowed: 4)) {
            try profile(parts, limits)
        }
    }

    #if os(Linux) && JPEG
    @Test func image_hasItsProfile() throws {
        let data = JPEGFixture(segments: part(1, of: 1, [1, 2, 3])).data
        #expect(try JPEGDecoder().decode(data, limits: DecodeLimits()).profile == Data([1, 2, 3]))
        #expect(try JPEGDecoder().header(of: data, limits: DecodeLimits()).profileBytes == 3)
        #expect(try JPEGDecoder().decode(JPEGFixture().data, limits: DecodeLimits()).profile == nil)
    }
    #endif

    /// Segments cut, doubled and changed: a header or an error, and a profile that is as long as said.
    @Test func segmentFuzz() throws {
        var random = SeededRandom(seed: Fuzz.seed)
        let exif = JPEGFixture.segment(0xE1, Array("Exif\0\0".utf8) + EXIFFixture(orientation: 6).bytes)
        let file = ContiguousArray<UInt8>(
            JPEGFixture(segments: exif + part(2, of: 2, [4, 5]) + part(1, of: 2, [1, 2, 3])).data.prefix(200))
        for _ in 0..<Fuzz.steps / 20 {
            var bytes = file
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
                case 2: bytes[place] = [0, 1, 0xFF, 0xE2].randomElement(using: &random) ?? 0
                default: bytes.removeSubrange(place..<min(bytes.count, place + 3))
                }
                if bytes.isEmpty { bytes = file }
            }
            let result = Result { () throws(ImageLoaderError) in
                try JPEGMarkers(scanning: bytes.span, limits: DecodeLimits())
            }
            guard case .success(let markers) = result else { continue }
            must(markers.profile(in: bytes.span)?.count == markers.profileBytes, "seed \(Fuzz.seed): \(bytes)")
        }
    }
}
