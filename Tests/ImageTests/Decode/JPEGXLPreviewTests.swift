#if os(Linux) && JPEGXL
import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(2))) struct JPEGXLPreviewTests {
    typealias File = JPEGXLFixture

    private let decoder = JPEGXLDecoder()

    /// The previews after each piece of a file; nil where there is none.
    private func previews(of file: Data, _ pieceBytes: Int) throws -> [PartialImage?] {
        let request = DecodeRequest()
        let header = try #require(try decoder.previewHeader(file, request))
        let reader = try decoder.previewReader(file, header, request)
        return try stride(from: 0, to: file.count, by: pieceBytes).map { start in
            try reader.append(Data(file.dropFirst(start).prefix(pieceBytes)))
            return try reader.preview(DecodeCancellation())
        }
    }

    /// The mean difference of the colors.
    private func difference(_ one: Bitmap, _ other: Bitmap) -> Double {
        one.withBytes { one in
            other.withBytes { other in
                let sum = (0..<one.byteCount).reduce(0) { sum, index in
                    let pair = (
                        one.unsafeLoad(fromByteOffset: index, as: UInt8.self),
                        other.unsafeLoad(fromByteOffset: index, as: UInt8.self)
                    )
                    return sum + abs(Int(pair.0) - Int(pair.1))
                }
                return Double(sum) / Double(one.byteCount)
            }
        }
    }

    @Test(arguments: [File.rgb, .alpha, .turned, .p3, .large, .lossy, .progressive], [1, 50, 100_000])
    func lastPreview_equalsImage(_ file: File, pieceBytes: Int) throws {
        var request = DecodeRequest()
        request.appliesOrientation = false
        let image = try decoder.decode(file.data, request)
        let last = try #require(try previews(of: file.data, pieceBytes).last ?? nil)
        #expect(last.bitmap == image.bitmap && last.coverage == 1 && last.quality == .final)
    }

    @Test func previews_becomeFiner() throws {
        let whole = try decoder.decode(File.lossy.data, DecodeRequest()).bitmap
        let shown = try previews(of: File.lossy.data, 50).compactMap { $0 }
        #expect(shown.count > 3)
        #expect(shown.first?.quality == .coarse(pass: 1) && shown.allSatisfy { $0.coverage == 1 })
        let differences = shown.map { difference($0.bitmap, whole) }
        #expect(differences[0] < 30 && differences[0] > 1 && differences.last == 0)
        #expect(zip(differences, differences.dropFirst()).allSatisfy { $0 >= $1 }, "\(differences)")
    }

    @Test func partsOfContainer_areShown() throws {
        let file = File.lossy.data
        let (first, rest) = (Array(file.prefix(700)), Array(file.dropFirst(700)))
        let container = File.container(("jxlp", File.long(0) + first), ("jxlp", File.long(0x8000_0001) + rest))
        let shown = try previews(of: container, 100).compactMap { $0 }
        #expect(shown.count > 1)
        #expect(try shown.last?.bitmap == decoder.decode(file, DecodeRequest()).bitmap)
    }

    @Test func headThatIsNotThere_isWaitedFor() throws {
        let file = File.lossy.data
        let heads = (0..<file.count).prefix { count in
            (try? decoder.previewHeader(file.prefix(count), DecodeRequest())) == nil
        }
        #expect(heads.count > 10 && heads.count < 100)
    }

    @Test(arguments: [File.moving, .pq]) func animationsAndHDR_haveNone(_ file: File) throws {
        #expect(throws: ImageLoaderError.self) { try decoder.previewHeader(file.data, DecodeRequest()) }
        #expect(throws: ImageLoaderError.self) {
            try decoder.previewReader(file.data, ImageHeader(format: .jxl, size: .init(width: 1, height: 1)), .init())
        }
    }

    @Test func truncatedImage_isShown_ifAskedFor() throws {
        let file = File.lossy.data.dropLast(600)
        #expect(throws: ImageLoaderError.corruptImage(.jxl, reason: "ends too early")) {
            try decoder.decode(file, DecodeRequest())
        }
        var request = DecodeRequest()
        request.damaged = .showWhatIsThere
        let image = try decoder.decode(file, request)
        let whole = try decoder.decode(File.lossy.data, request)
        #expect(!image.isComplete && whole.isComplete)
        #expect(image.size == whole.size && difference(image.bitmap, whole.bitmap) < 30)
        // Before the first preview there is nothing to show.
        #expect(throws: ImageLoaderError.self) { try decoder.decode(File.lossy.data.prefix(60), request) }
    }

    @Test func limits_areKept() throws {
        var request = DecodeRequest()
        request.limits.pixels = 264 * 264 - 1
        #expect(throws: ImageLoaderError.self) { try decoder.previewHeader(File.lossy.data, request) }
        let header = try #require(try decoder.previewHeader(File.lossy.data, DecodeRequest()))
        let reader = try decoder.previewReader(File.lossy.data, header, DecodeRequest())
        #expect(throws: ImageLoaderError.self) { try reader.append(Data(count: 8 << 20)) }
    }
}
#endif
