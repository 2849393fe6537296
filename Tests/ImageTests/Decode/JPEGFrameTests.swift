import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite struct JPEGFrameTests {
    /// 17 × 9 pixels in three components, of which the first scan has as many as `scanned`.
    private func coefficientBytes(_ marker: UInt8, scanned: UInt8, _ samplings: [UInt8]) throws -> Int {
        let components: [UInt8] = zip(1..., samplings).flatMap { [UInt8]([$0, $1, 0]) }
        let frame = JPEGFixture.segment(marker, [8, 0, 9, 0, 17, UInt8(samplings.count)] + components)
        let bytes = Data([0xFF, 0xD8] + frame + JPEGFixture.segment(0xDA, [scanned]))
        return try JPEGMarkers(scanning: bytes.span, limits: DecodeLimits()).coefficientBytes
    }

    @Test func coefficients_areCounted_forSeveralScans() throws {
        // 3 × 2 blocks of the first component, 2 × 1 of each other.
        let halved: [UInt8] = [0x22, 0x11, 0x11]
        #expect(try coefficientBytes(0xC2, scanned: 3, halved) == 10 * 128)
        #expect(try coefficientBytes(0xCA, scanned: 1, halved) == 10 * 128)
        #expect(try coefficientBytes(0xC0, scanned: 3, halved) == 0)
        #expect(try coefficientBytes(0xC0, scanned: 1, halved) == 10 * 128)
        #expect(try coefficientBytes(0xC2, scanned: 3, [0x11, 0x11, 0x11]) == 18 * 128)
        #expect(try coefficientBytes(0xC0, scanned: 1, [0x11]) == 0)
    }

    @Test func garbageInFrame_isNoTrap() throws {
        #expect(try coefficientBytes(0xC2, scanned: 3, [0x00, 0x00, 0x00]) == 0)
        #expect(try coefficientBytes(0xC2, scanned: 0, []) == 0)
        let cut = Data([0xFF, 0xD8] + JPEGFixture.segment(0xC2, [8, 255, 255, 255, 255, 255, 1, 0xFF]))
        #expect(try JPEGMarkers(scanning: cut.dropLast().span, limits: DecodeLimits()).coefficientBytes == 0)
        _ = try JPEGMarkers(scanning: cut.span, limits: DecodeLimits())
    }
}
