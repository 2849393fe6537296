#if os(Linux) && JPEG && PNG && GIF && WebP
import AlcedoTestSupport
import Foundation
import Testing

import Alcedo
@testable import TestFixtures

/// Alcedo's own decoders keep what it asks of those of others.
@Suite(.timeLimit(.minutes(2))) struct DecoderRulesTests {
    @Test(arguments: Flavour.allCases)
    func decoderRules_areMet(_ flavour: Flavour) async throws {
        let file = try flavour.file
        let decoder = try ImageDecoders.builtIn.decoder(for: file)
        for problem in await DecoderCheck(decoder).problems(with: file) { Issue.record("\(problem)") }
    }

    enum Flavour: CaseIterable {
        case jpeg, turnedJPEG, progressiveJPEG, png, opaquePNG, turnedPNG, interlacedPNG, apng, gif, movingGIF
        case webP, losslessWebP, movingWebP

        var file: Data {
            get throws {
                switch self {
                case .jpeg: try JPEGEncoder().encode(PhotoFixture.make(61, 43))
                case .turnedJPEG:
                    JPEGFixture.adding(exif: turned, to: try JPEGEncoder().encode(PhotoFixture.make(61, 43)))
                case .progressiveJPEG: JPEGFixture(blocksPerSide: 5, scans: 3).data
                case .png: try PNGEncoder().encode(Pictures.noise(23, 14, seed: 4))
                case .opaquePNG:
                    PNGFixture(width: 3, height: 2, rows: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 9, 8, 7, 6, 5, 4, 3, 2, 1])
                        .data
                case .turnedPNG: try turnedPNG()
                case .interlacedPNG:
                    PNGFixture(width: 2, height: 2, colorType: 0, interlaced: true, rows: [0, 10, 0, 20, 0, 30, 40])
                        .data
                case .apng:
                    APNGFixture(
                        frames: [[255, 0, 0, 255, 0, 255, 0, 9], [0, 0, 255, 128, 9, 9, 9, 0]].map { .init(pixels: $0) }
                    ).data
                case .gif: GIFFixture.still(11, 7).data
                case .movingGIF: GIFFixture.animation().data
                case .webP: try WebPEncoder().encode(PhotoFixture.make(61, 43))
                case .losslessWebP: try WebPEncoder(.lossless).encode(Pictures.noise(23, 14, seed: 4))
                case .movingWebP: try movingWebP()
                }
            }
        }

        private var turned: [UInt8] { EXIFFixture(orientation: 6).bytes }

        private func movingWebP() throws -> Data {
            let frames = try (1...3).map { seed in
                let picture = try WebPEncoder(.lossless).encode(Pictures.noise(9, 6, seed: UInt64(seed)))
                return WebPFixture.Frame(width: 9, height: 6, picture: WebPFixture.picture(picture))
            }
            return WebPFixture.animation(9, 6, frames)
        }

        private func turnedPNG() throws -> Data {
            let plain = try PNGEncoder().encode(Pictures.noise(40, 24, seed: 9))
            return plain.dropLast(12) + PNGFixture.chunk("eXIf", turned) + plain.suffix(12)
        }
    }
}
#endif
