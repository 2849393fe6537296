import AlcedoTestSupport

#if os(Linux) && JPEG && PNG
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The checks of files before ImageIO shows them, compared with what libpng and libjpeg make of the files.
struct FileIntegrityTests {
    private static func png() throws -> Data { try PNGEncoder().encode(Pictures.noise(24, 17, seed: 11)) }
    private static func jpeg(progressive: Bool = false) throws -> Data {
        var encoder = JPEGEncoder()
        encoder.isProgressive = progressive
        return try encoder.encode(Pictures.noise(24, 17, seed: 11))
    }

    @Test func checksum_isZlibs() {
        for count in [0, 1, 7, 300, 5_000] {
            let bytes = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ $0 >> 3) })
            var checksum = CRC32()
            checksum.add(bytes.span.extracting(0..<count / 2))
            checksum.add(bytes.span.extracting(count / 2..<count))
            #expect(Int(checksum.value) == Data.checksum(bytes.span))
        }
    }

    @Test func wholePNG_isSound() throws {
        let file = try Self.png()
        let whole = FileIntegrity(png: file.span)
        #expect(whole.damage == nil && whole.usableBytes == file.count && whole.missingEnd.isEmpty)
        // What follows the end isn't shown to the codec.
        let longer = FileIntegrity(png: (file + Data("rest".utf8)).span)
        #expect(longer.damage == nil && longer.usableBytes == file.count)
    }

    /// No flipped bit is overlooked in what libpng needs.
    @Test func flippedBit_isDamage_ifLibpngSaysSo() throws {
        let file = try Self.png()
        var refused = 0
        for offset in 8..<file.count {
            var bytes = file
            bytes[offset] ^= 1 << UInt8(offset % 8)
            guard FileIntegrity(png: bytes.span).damage == nil else {
                refused += 1
                continue
            }
            #expect(throws: Never.self, "byte \(offset)") { try PNGDecoder().decode(bytes, limits: DecodeLimits()) }
        }
        #expect(refused > file.count * 9 / 10)
    }

    @Test func truncatedPNG_isDamaged_exceptForItsEnd() throws {
        let file = try Self.png()
        for count in 8..<file.count {
            let found = FileIntegrity(png: file.prefix(count).span)
            if count >= file.count - 12 {
                #expect(found.damage == nil && !found.missingEnd.isEmpty, "\(count) of \(file.count) bytes")
                let mended = file.prefix(found.usableBytes) + Data(found.missingEnd)
                #expect(mended == file)
            } else {
                #expect(found.damage != nil && found.usableBytes == count, "\(count) of \(file.count) bytes")
            }
        }
    }

    @Test func damagedPixels_arePartlyUsable() throws {
        var file = try Self.png()
        file[file.count - 20] ^= 1
        let found = FileIntegrity(png: file.span)
        #expect(found.damage == "a wrong checksum")
        // All but the checksum, and the end.
        #expect(found.usableBytes == file.count - 16)
    }

    @Test func damagedText_isNoDamage() throws {
        let file = try Self.png().withChunk("tEXt", Array("Title\0A picture".utf8))
        var damaged = file
        damaged[Data.headBytesOfPNG + 10] ^= 1
        #expect(FileIntegrity(png: damaged.span).damage == nil)
        #expect(throws: Never.self) { try PNGDecoder().decode(damaged, limits: DecodeLimits()) }
    }

    @Test func chunks_needTypesAndPixels() throws {
        let file = try Self.png()
        #expect(FileIntegrity(png: file.withChunk("ABCD", []).span).damage == "an unknown chunk that is needed")
        #expect(FileIntegrity(png: file.withChunk("1bcd", []).span).damage == "a chunk without a type or a length")
        var empty = Data(file.prefix(Data.headBytesOfPNG))
        empty.appendChunk("IEND", [])
        #expect(FileIntegrity(png: empty.span).damage == "no pixels")
        #expect(FileIntegrity(png: Data().span).damage == "no pixels")
    }

    @Test(arguments: [false, true]) func jpegWithAnEnd_isSound(_ progressive: Bool) throws {
        let file = try Self.jpeg(progressive: progressive)
        for whole in [file, file + Data("trailer".utf8), file + file] {
            let found = FileIntegrity(jpeg: whole, limits: DecodeLimits())
            #expect(found.damage == nil && found.missingEnd.isEmpty && found.usableBytes == whole.count)
        }
    }

    /// Agrees with libjpeg about each length: baseline, progressive, and with restart markers.
    @Test func truncatedJPEG_isSoundIfNoPixelsAreMissing() throws {
        var restarting = JPEGEncoder()
        restarting.restartRows = 1
        let files = [
            try Self.jpeg(), try Self.jpeg(progressive: true), JPEGFixture.plain(24, 17),
            try restarting.encode(Pictures.noise(40, 33, seed: 5)),
        ]
        for file in files {
            var sound = 0
            for count in 2..<file.count {
                let part = Data(file.prefix(count))
                let isSound = FileIntegrity(jpeg: part, limits: DecodeLimits()).damage == nil
                if isSound { sound += 1 }
                #expect(isSound == Self.isDecodable(part), "\(count) of \(file.count) bytes")
            }
            #expect(sound > 0)
            let mended = FileIntegrity(jpeg: Data(file.dropLast(2)), limits: DecodeLimits())
            #expect(mended.missingEnd == [0xFF, 0xD9])
        }
    }

    private static func isDecodable(_ file: Data) -> Bool {
        do throws(ImageLoaderError) {
            _ = try JPEGDecoder().decode(file, limits: DecodeLimits())
            return true
        } catch {
            return false
        }
    }

    /// More scans may have followed: of this file, none has the coefficients that make it sharp.
    @Test func missingScan_isDamage() {
        let file = JPEGFixture(blocksPerSide: 4, scans: 6).data
        #expect(FileIntegrity(jpeg: file, limits: DecodeLimits()).damage == nil)
        #expect(FileIntegrity(jpeg: Data(file.dropLast(2)), limits: DecodeLimits()).damage != nil)
    }

    @Test func scansWithoutAnEnd_areLimited() throws {
        let file = Data(try Self.jpeg(progressive: true).dropLast(2))
        var limits = DecodeLimits()
        #expect(FileIntegrity(jpeg: file, limits: limits).damage == nil)
        limits.jpegScans = 2
        #expect(FileIntegrity(jpeg: file, limits: limits).damage != nil)
    }

    /// Flipped bits change the scans in any way, and the check ends.
    @Test func flippedBits_endTheCheck() throws {
        for file in [try Self.jpeg(), try Self.jpeg(progressive: true)] {
            for offset in 2..<file.count - 2 {
                var bytes = Data(file.dropLast(2))
                bytes[offset] ^= 1 << UInt8(offset % 8)
                let found = FileIntegrity(jpeg: bytes, limits: DecodeLimits())
                #expect(found.usableBytes == bytes.count)
            }
        }
    }

    @Test func scans_areCountedAsTheyBegin() {
        let file = JPEGFixture(blocksPerSide: 4, scans: 6).data
        #expect(JPEGMarkers.scans(in: file.span) == 6)
        #expect(JPEGMarkers.scans(in: file.prefix(2).span) == 0)
        let counts = (2...file.count).map { JPEGMarkers.scans(in: file.prefix($0).span) }
        #expect(counts == counts.sorted() && Set(counts) == Set(0...6))
    }

    #if WebP
    /// Whatever is found sound, libwebp decodes.
    @Test(arguments: [WebPEncoder.Compression.lossless, .lossy(quality: 80)])
    func truncatedWebP_isDamaged_ifPixelsAreMissing(_ compression: WebPEncoder.Compression) throws {
        let image = try WebPEncoder(compression).encode(Pictures.noise(24, 17, seed: 11))
        let pixels = WebPFixture.picture(image)
        let note = WebPFixture.chunk("XMP ", Array(repeating: 0x20, count: 90))
        let file = WebPFixture.file(WebPFixture.head(24, 17, [.alpha, .xmp]), pixels, note)
        #expect(FileIntegrity(webP: file.span).damage == nil)
        var sound = 0
        for count in 12..<file.count where FileIntegrity(webP: file.prefix(count).span).damage == nil {
            sound += 1
            #expect(throws: Never.self, "\(count) of \(file.count) bytes") {
                try WebPDecoder().decode(Data(file.prefix(count)), limits: DecodeLimits())
            }
        }
        // Only metadata may be missing.
        #expect((90...100).contains(sound))
    }
    #endif

    @Test func truncatedBoxes_areDamaged_ifNeeded() {
        func box(_ type: String, _ count: Int) -> [UInt8] {
            [0, 0, 0, UInt8(count + 8)] + Array(type.utf8) + [UInt8](repeating: 0, count: count)
        }
        let file = Data(box("ftyp", 12) + box("meta", 30) + box("mdat", 50) + box("uuid", 20))
        #expect(FileIntegrity(boxes: file.span).damage == nil)
        #expect(FileIntegrity(boxes: file.dropLast().span).damage == nil)
        #expect(FileIntegrity(boxes: file.dropLast(29).span).damage == "ends too early")
        #expect(FileIntegrity(boxes: file.prefix(40).span).damage == "ends too early")
        // Not in boxes.
        #expect(FileIntegrity(boxes: Data([0xFF, 0x0A, 1, 2, 3]).span).damage == nil)
    }

    @Test func thumbnailsEnd_isntTheFilesEnd() throws {
        let small = try Self.jpeg()
        // A segment for applications, with a whole JPEG in it.
        let length = small.count + 2
        let head: [UInt8] = [0xFF, 0xE5, UInt8(length >> 8), UInt8(truncatingIfNeeded: length)]
        let file = small.prefix(2) + Data(head) + small + small.dropFirst(2).dropLast(12)
        #expect(FileIntegrity(jpeg: file, limits: DecodeLimits()).damage != nil)
    }
}
#endif
