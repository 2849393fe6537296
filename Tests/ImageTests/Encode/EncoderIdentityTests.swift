import Alcedo
import Foundation
import Testing

#if os(Linux) && JPEG && PNG && WebP && AVIF && GIF
/// Encoders with different settings have different identities.
@Suite struct EncoderIdentityTests {
    private static func changed<Encoder>(_ encoder: Encoder, _ change: (inout Encoder) -> Void) -> Encoder {
        var encoder = encoder
        change(&encoder)
        return encoder
    }

    /// By type, the default and one encoder for each setting that differs.
    private static let encoders: [[any FileEncoding]] = [
        [
            JPEGEncoder(), JPEGEncoder(quality: 84), changed(JPEGEncoder()) { $0.isProgressive = true },
            changed(JPEGEncoder()) { $0.subsampling = .yuv444 }, changed(JPEGEncoder()) { $0.restartRows = 1 },
            changed(JPEGEncoder()) { $0.optimizesHuffmanTables = true }, changed(JPEGEncoder()) { $0.metadata = .keep },
        ],
        [
            PNGEncoder(), PNGEncoder(compressionLevel: 5), PNGEncoder(filter: .sub),
            changed(PNGEncoder()) { $0.metadata = .keep },
        ],
        [
            WebPEncoder(), WebPEncoder(.lossless), WebPEncoder(.lossy(quality: 79)), WebPEncoder(effort: 3),
            changed(WebPEncoder()) { $0.alphaQuality = 9 }, changed(WebPEncoder()) { $0.usesSharpYUV = true },
            changed(WebPEncoder()) { $0.metadata = .keepWithoutLocation },
        ],
        [
            AVIFEncoder(), AVIFEncoder(quality: 59), AVIFEncoder(speed: 5),
            changed(AVIFEncoder()) { $0.alphaQuality = 9 }, changed(AVIFEncoder()) { $0.subsampling = .yuv422 },
            changed(AVIFEncoder()) { $0.metadata = .keep },
        ],
        [GIFEncoder(), GIFEncoder(dithers: false)],
        [
            AutomaticEncoder(), changed(AutomaticEncoder()) { $0.opaque = JPEGEncoder(quality: 9) },
            changed(AutomaticEncoder()) { $0.transparent = nil }, changed(AutomaticEncoder()) { $0.drawn = nil },
            changed(AutomaticEncoder()) { $0.animation = GIFEncoder() },
            changed(AutomaticEncoder()) { $0.maximumBytes = 9 },
            changed(AutomaticEncoder()) { ($0.maximumBytes, $0.lowestQuality) = (9, 5) },
            changed(AutomaticEncoder()) { $0.metadata = .strip },
            AutomaticEncoder(accept: "image/avif", includesAVIF: true),
        ],
    ]

    @Test func identities_differ_withEachSetting() {
        let identities = Self.encoders.joined().map(\.identity)
        #expect(Set(identities).count == identities.count)
    }

    /// A setting that is added needs a place in the identity, and an encoder above.
    @Test func everySetting_isTested() {
        for encoders in Self.encoders {
            let settings = Mirror(reflecting: encoders[0]).children.compactMap(\.label).filter { $0 != "isExact" }
            #expect(encoders.count > settings.count, "\(settings)")
        }
    }

    @Test func identity_isThatOfTheDefaults() {
        #expect(WebPEncoder().identity == "WebP 1 lossy(quality: 80) 4 100 false strip")
    }
}
#endif
