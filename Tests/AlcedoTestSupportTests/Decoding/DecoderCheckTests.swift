#if os(Linux) && PNG
import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

/// The check finds what is wrong, and nothing where nothing is.
@Suite(.timeLimit(.minutes(1))) struct DecoderCheckTests {
    private let file: Data

    init() throws { file = try PNGEncoder().encode(Pictures.noise(23, 14, seed: 3)) }

    @Test func aGoodDecoder_hasNoProblems() async {
        #expect(await DecoderCheck(PNGDecoder()).problems(with: file) == [])
    }

    @Test(arguments: DecoderProblem.Rule.allCases)
    func aDecoderThatBreaksARule_isFoundOut(_ rule: DecoderProblem.Rule) async {
        let problems = await DecoderCheck(FlawedDecoder(rule)).problems(with: file)
        #expect(problems.contains { $0.rule == rule && !$0.detail.isEmpty }, "\(problems)")
    }

    @Test func rubbish_isAProblemAndNoTrap() async {
        #expect(await DecoderCheck(PNGDecoder()).problems(with: Data()).first?.rule == .format)
        #expect(await DecoderCheck(PNGDecoder()).problems(with: Data([1, 2, 3])).count == 1)
    }
}

/// Reads PNG, and breaks one rule.
private final class FlawedDecoder: EstimatedDecoding {
    let broken: DecoderProblem.Rule
    private let good = PNGDecoder()
    private let calls = Atomic(0)
    var format: ImageFormat { .png }

    init(_ broken: DecoderProblem.Rule) { self.broken = broken }

    func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        var header = try good.header(of: data, limits: broken == .limits ? DecodeLimits() : limits)
        switch broken {
        case .format: header.format = .gif
        case .header: header.hasAlpha = false
        case .orientation: header.orientation = .upMirrored
        default: break
        }
        return header
    }

    func cost(
        _ header: ImageHeader, byteCount: Int, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> DecodeCost {
        DecodeCost(workingBytes: broken == .workingBytes ? 0 : try request.limits.bitmapBytes(for: header.size))
    }

    func decode(_ data: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> DecodedImage {
        let image = try picture(data, request)
        let isOdd =
            switch broken {
            case .premultiplication: true
            case .repetition: calls.add(1, ordering: .relaxed).newValue > 1
            case .frames: request.frames == .first
            default: false
            }
        return isOdd ? DecodedImage(bitmap: try oddBitmap(image.size), format: .png) : image
    }

    private func picture(_ data: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> DecodedImage {
        var request = request
        switch broken {
        case .target: request.target = nil
        case .limits: request.limits = DecodeLimits()
        case .cancellation: request.cancellation = DecodeCancellation()
        case .slices where data.startIndex > 0: throw .corruptImage(.png, reason: "a slice")
        default: break
        }
        do throws(ImageLoaderError) {
            return try good.decode(data, request)
        } catch {
            guard broken == .truncation || broken == .damage, case .corruptImage = error else { throw error }
            return DecodedImage(bitmap: try oddBitmap(PixelSize(width: 7, height: 7)), format: .png)
        }
    }

    private func oddBitmap(_ size: PixelSize) throws(ImageLoaderError) -> Bitmap {
        var builder = try BitmapBuilder(size: size)
        let isPremultiplied = broken != .premultiplication
        builder.withBytes { bytes in
            for pixel in 0..<size.width * size.height {
                let alpha: UInt8 = isPremultiplied ? 255 : 3
                bytes.storeBytes(of: [9, 9, 9, alpha], toByteOffset: pixel * 4, as: SIMD4<UInt8>.self)
            }
        }
        return builder.freeze()
    }
}
#endif
