import AlcedoTestSupport

#if os(Linux) && JPEG && PNG && WebP
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

struct PreviewDecodingTests {
    /// Rows whose pixels are as opaque as those of the whole picture, all of them, and rows without any.
    private func rows(_ picture: PartialImage) -> (drawn: Int, empty: Int) {
        let bitmap = picture.bitmap
        let sums = (0..<bitmap.size.height).map { y in
            (0..<bitmap.size.width).reduce(0) { $0 + Int(bitmap[$1, y].w) }
        }
        return (sums.count { $0 == bitmap.size.width * 255 }, sums.count { $0 == 0 })
    }

    // MARK: The whole

    @Test func finalPreview_equalsImage() throws {
        for (name, file) in try PreviewFixture.files.get() {
            let fixture = try PreviewFixture(file)
            let preview = try #require(try fixture.previews(of: [file]).last ?? nil, "\(name)")
            #expect(try preview.bitmap == fixture.decoded(file), "\(name)")
            #expect(preview.coverage == 1 && preview.quality == .final, "\(name)")
        }
    }

    @Test func smallerTarget_isDecodedSmaller() throws {
        for (name, file) in try PreviewFixture.files.get() where name != "scans" {
            var fixture = try PreviewFixture(file)
            fixture.request.target = DecodeTarget(PixelSize(width: 5, height: 5), mode: .fill)
            let header = try fixture.decoder.header(of: file, limits: DecodeLimits())
            var fitting = PictureFitting(header, fixture.request)
            let preview = try #require(try fixture.previews(of: [file]).last ?? nil)
            #expect(
                try fitting.apply(to: preview.bitmap, reducedBy: preview.reduction)
                    == fixture.decoder.decode(file, fixture.request).bitmap, "\(name)")
        }
    }

    @Test func chunking_doesNotMatter() throws {
        var random = SeededRandom(seed: 1)
        for (name, file) in try PreviewFixture.files.get() {
            let fixture = try PreviewFixture(file)
            let whole = try fixture.decoded(file)
            for count in [2, 3, 12, 100, file.count] {
                let pieces =
                    count == file.count
                    ? file.map { Data([$0]) } : PreviewFixture.pieces(file, count: count, &random)
                let previews = try fixture.previews(of: pieces).compactMap { $0 }
                #expect(previews.last?.bitmap == whole, "\(name), \(count) pieces")
                #expect(previews.last?.quality == .final, "\(name), \(count) pieces")
            }
        }
    }

    // MARK: Parts

    @Test func receivedRows_equalImage_andOthersAreEmpty() throws {
        let picture = try PhotoFixture.make(160, 200)
        for file in [
            try JPEGEncoder().encode(picture), try PNGEncoder().encode(picture), try WebPEncoder().encode(picture),
            try WebPEncoder(.lossless).encode(picture),
        ] {
            let fixture = try PreviewFixture(file)
            let whole = try fixture.decoded(file)
            let pieces = [file.prefix(file.count / 2), file.dropFirst(file.count / 2)]
            let previews = try fixture.previews(of: pieces)
            let half = try #require(previews[0], "\(fixture.decoder.format)")
            let (drawn, empty) = rows(half)
            #expect(drawn > 20 && empty > 20 && drawn + empty == 200)
            #expect(half.coverage == Double(drawn) / 200 && half.quality == .final)
            let bytes = (drawn - 16) * whole.bytesPerRow
            // The last rows may change a little, as a JPEG's colors are interpolated between rows.
            #expect(half.bitmap.withBytes { $0.bytes(bytes) } == whole.withBytes { $0.bytes(bytes) })
            #expect(previews[1]?.coverage == 1)
        }
    }

    /// libjpeg takes over the sides of a second frame header before it refuses that, for which it waits for the rest.
    @Test func cutOffSecondFrameHeader_isHarmless() throws {
        var encoder = JPEGEncoder()
        encoder.isProgressive = true
        let file = try encoder.encode(PhotoFixture.make(83, 61))
        let scans = file.indices.dropLast().filter { file[$0] == 0xFF && file[$0 + 1] == 0xDA }
        try #require(scans.count > 2)
        let frame: [UInt8] = [0xFF, 0xC2, 0, 17, 8, 0, 0, 0, 0, 3, 1, 0x11, 0, 2, 0x11, 1, 3, 0x11, 1]
        for length in 1...frame.count {
            let fixture = try PreviewFixture(file)
            let (_, reader) = try #require(try fixture.reader(file))
            try reader.append(file[..<scans[1]])
            do throws(ImageLoaderError) {
                try reader.append(Data(frame[..<length]))
                // libjpeg refuses it once it has the length, the sides and the number of components.
                #expect(length < 10)
                let preview = try reader.preview(DecodeCancellation())
                #expect(preview?.bitmap.size == PixelSize(width: 83, height: 61))
            } catch {
                guard case .corruptImage = error, length >= 10 else { throw error }
            }
        }
    }

    @Test func progressiveJPEG_isWholeEarly_andRefined() throws {
        let picture = try PhotoFixture.make(320, 240)
        var encoder = JPEGEncoder()
        encoder.isProgressive = true
        let file = try encoder.encode(picture)
        let fixture = try PreviewFixture(file)
        let whole = try fixture.decoded(file)
        let pieces = (0..<10).map { file[file.count * $0 / 10..<file.count * ($0 + 1) / 10] }
        let previews = try fixture.previews(of: pieces).compactMap { $0 }
        #expect(previews.count > 5)
        var (likeness, pass) = (0.0, 0)
        for preview in previews where preview.coverage == 1 {
            let next = PhotoFixture.likeness(preview.bitmap, whole)
            #expect(next >= likeness - 0.5)
            likeness = next
            if case .coarse(let next) = preview.quality {
                #expect(next >= pass)
                pass = next
            }
        }
        #expect(pass > 3 && likeness == .infinity)
        let first = try #require(previews.first { $0.coverage == 1 })
        #expect(PhotoFixture.likeness(first.bitmap, whole) > 15)
    }

    @Test func firstScan_showsReceivedRows() throws {
        var encoder = JPEGEncoder(quality: 100)
        encoder.isProgressive = true
        let file = try encoder.encode(PhotoFixture.make(320, 480))
        let fixture = try PreviewFixture(file)
        let scans = file.indices.dropLast().filter { file[$0] == 0xFF && file[$0 + 1] == 0xDA }
        let middle = (scans[0] + scans[1]) / 2
        let preview = try #require(try fixture.previews(of: [file.prefix(middle)])[0])
        let (drawn, empty) = rows(preview)
        #expect(drawn > 50 && empty > 50 && drawn + empty == 480)
        #expect(preview.coverage == Double(drawn) / 480 && preview.quality == .coarse(pass: 1))
    }

    @Test func interlacedPNG_fillsEachPixel() throws {
        let file = PreviewFixture.interlaced
        let fixture = try PreviewFixture(file)
        // The stored block of the pixels begins after the heads; its first pass is one pixel with its filter byte.
        let start = 8 + 25 + 8 + 2 + 5
        let previews = try fixture.previews(of: [file.prefix(start + 5), file[(start + 5)...].prefix(5)])
        let first = try #require(previews[0])
        #expect(first.coverage == 1 && first.quality == .coarse(pass: 1))
        #expect(first.bitmap[0, 0] == [0, 0, 0, 255] && first.bitmap[7, 7] == [0, 0, 0, 255])
        let second = try #require(previews[1])
        #expect(second.bitmap[7, 7] == [30, 0, 0, 254] && second.bitmap[3, 0] == [0, 0, 0, 255])
        #expect(second.quality == .coarse(pass: 2))
    }

    @Test func noNewBytes_giveNoPreview() throws {
        for (name, file) in try PreviewFixture.files.get() {
            let fixture = try PreviewFixture(file)
            let previews = try fixture.previews(of: [file.prefix(4), file.dropFirst(4), Data(), Data([0, 1, 2])])
            #expect(previews.map { $0 == nil } == [true, false, true, true], "\(name)")
        }
    }

    // MARK: Heads

    @Test func shortHeader_isNilOrError() throws {
        for (name, file) in try PreviewFixture.files.get() {
            let fixture = try PreviewFixture(file)
            let header = try fixture.decoder.header(of: file, limits: DecodeLimits())
            var count = 0
            for length in 0...file.count {
                switch Result(catching: { () throws(ImageLoaderError) in
                    try fixture.decoder.previewHeader(file.prefix(length), fixture.request)
                }) {
                case .success(let found?):
                    count += 1
                    #expect(found.size == header.size && found.hasAlpha == header.hasAlpha, "\(name), \(length)")
                    #expect(found.needsAllPixels == header.needsAllPixels, "\(name), \(length)")
                case .success(nil), .failure(.corruptImage): #expect(count == 0, "\(name), \(length)")
                case .failure(let error): Issue.record("\(name), \(length): \(error)")
                }
            }
            #expect(count > 0 && (count > file.count / 2 || name != "baseline"), "\(name)")
        }
    }

    @Test func animation_hasNoPreviews() throws {
        let picture = WebPFixture.picture(try WebPEncoder().encode(Pictures.gradient(4, 4)))
        let frame = WebPFixture.Frame(width: 4, height: 4, picture: picture)
        let webP = WebPFixture.animation(4, 4, [frame, frame])
        var png = PNGFixture(width: 1, height: 1, rows: [0, 1, 2, 3])
        png.chunksBeforePixels = [("acTL", [0, 0, 0, 2, 0, 0, 0, 0])]
        for file in [webP, png.data] {
            #expect(failure { try PreviewFixture(file).reader(file) } == .unsupportedImage)
        }
    }

    @Test func missingOrientation_isAwaited() throws {
        let picture = WebPFixture.picture(try WebPEncoder().encode(Pictures.gradient(8, 4)))
        let exif = WebPFixture.chunk("EXIF", EXIFFixture(orientation: 6).bytes)
        let head = WebPFixture.head(8, 4, .exif)
        let late = WebPFixture.file(head, picture, exif)
        #expect(failure { try PreviewFixture(late).reader(late.prefix(80)) } == .unsupportedImage)
        let early = WebPFixture.file(head, exif, picture)
        #expect(try PreviewFixture(early).reader(early.dropLast(20))?.0.orientation == .right)
    }

    // MARK: Damage and limits

    @Test func corruptBytes_endReader() throws {
        let picture = try PhotoFixture.make(160, 200)
        var png = try PNGEncoder().encode(picture)
        png[png.count - 20] ^= 1
        var progressive = JPEGEncoder()
        progressive.isProgressive = true
        for file in [
            png, try JPEGEncoder().encode(picture).cutWithEndMarker, try progressive.encode(picture).cutWithEndMarker,
        ] {
            let fixture = try PreviewFixture(file)
            let (_, reader) = try #require(try fixture.reader(file))
            try reader.append(file.prefix(file.count / 2))
            #expect(try reader.preview(DecodeCancellation()) != nil)
            #expect(failure { try reader.append(file.dropFirst(file.count / 2)) } == .corruptImage)
        }
    }

    @Test func scansAndMemory_areLimited() throws {
        let file = JPEGFixture(blocksPerSide: 16, scans: 8).data
        var fixture = try PreviewFixture(file)
        fixture.request.limits.jpegScans = 7
        #expect(throws: ImageLoaderError.limitExceeded(.jpegScans, value: 8, allowed: 7)) {
            try fixture.previews(of: [file])
        }
        var tight = try PreviewFixture(file)
        // At an eighth a pixel is a block, of 128 bytes of coefficients.
        tight.request.target = DecodeTarget(PixelSize(width: 8, height: 8))
        tight.request.limits.bitmapBytes = 16 * 16 * 4
        #expect(failure { try tight.previews(of: [file]) } == .limitExceeded)
        tight.request.limits.bitmapBytes = 16 * 16 * 64
        #expect(try tight.previews(of: [file])[0]?.bitmap.size == PixelSize(width: 16, height: 16))
    }

    @Test func claimedSize_isRejected_beforeAllocating() throws {
        for (file, pixels) in [
            (JPEGFixture(blocksPerSide: 3_750).data.prefix(400), 900_000_000),
            (WebPFixture.claim(16_383, 16_383), 16_383 * 16_383),
            (PNGFixture(width: 30_000, height: 30_000).data, 900_000_000),
        ] {
            var request = DecodeRequest()
            request.limits.pixels = 100_000_000
            #expect(throws: ImageLoaderError.limitExceeded(.imagePixels, value: pixels, allowed: 100_000_000)) {
                try PreviewFixture(file).decoder.previewHeader(file, request)
            }
        }
    }

    @Test func scanBomb_isStoppedBetweenSteps() throws {
        let file = JPEGFixture(blocksPerSide: 600, scans: 3).data
        let fixture = try PreviewFixture(file)
        let (_, reader) = try #require(try fixture.reader(file))
        let cancelled = DecodeCancellation()
        cancelled.cancel()
        #expect(throws: ImageLoaderError.cancelled) {
            try file.bytes.withUnsafeBytes { (bytes) throws(ImageLoaderError) in try reader.append(bytes, cancelled) }
        }
        #expect(throws: ImageLoaderError.cancelled) { try reader.preview(cancelled) }
        // What was taken is not lost.
        try reader.append(Data())
        #expect(throws: ImageLoaderError.cancelled) { try reader.preview(cancelled) }
        #expect(try reader.preview(DecodeCancellation())?.bitmap == fixture.decoded(file))
    }
}

extension RawSpan {
    fileprivate func bytes(_ count: Int) -> Data { withUnsafeBytes { Data($0.prefix(count)) } }
}

extension Data {
    /// Without its last quarter, but with a JPEG's end.
    fileprivate var cutWithEndMarker: Data { prefix(count * 3 / 4) + Data([0xFF, 0xD9]) }
}
#endif
