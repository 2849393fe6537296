import AlcedoTestSupport

#if os(Linux)
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Files of a few bytes that claim to be huge.
struct BombTests {
    private static let bombs = Bomb.all.filter { bomb in builtInDecoders.contains { $0.format == bomb.format } }

    @Test(arguments: bombs)
    func error_namesTheLimit(_ bomb: Bomb) {
        #expect(throws: bomb.error) { try ImageDecoders.builtIn.decode(bomb.data) }
    }

    /// What is scaled while it is decoded, and what isn't.
    @Test(arguments: bombs)
    func thumbnailOfBomb_isRefused(_ bomb: Bomb) {
        let small = DecodeRequest(target: DecodeTarget(PixelSize(width: 100, height: 100)))
        let kind = failure { try ImageDecoders.builtIn.decode(bomb.data, small) }
        #expect(kind == .limitExceeded || kind == .corruptImage)
    }

    @Test func eachFormat_hasBombs() {
        for decoder in builtInDecoders { #expect(Self.bombs.count { $0.format == decoder.format } >= 3) }
    }

    #if canImport(Glibc)
    /// In a process of its own, which does nothing else.
    @Test(.disabled(if: Sanitizer.ownsMemory, "the memory is the sanitizer's")) func bombs_costLittleMemory() async {
        await #expect(processExitsWith: .success) {
            for bomb in Self.bombs {
                // What is loaded once is not the bomb's.
                #expect(throws: bomb.error) { try ImageDecoders.builtIn.decode(bomb.data) }
                // One of three has to be low: a bomb takes its memory each time, while the system may take pages of
                // code back and bring them in again at any time.
                var peaks: [Int] = []
                while peaks.count < 3, peaks.last.map({ $0 >= 1 << 20 }) ?? true {
                    peaks.append(
                        try Heap.peak {
                            #expect(throws: bomb.error) { try ImageDecoders.builtIn.decode(bomb.data) }
                        })
                }
                #expect(try #require(peaks.last) < 1 << 20, "\(bomb): \(peaks)")
            }
            // The measure sees what a bomb would take.
            let seen = try Heap.peak { #expect([UInt8](repeating: 1, count: 4 << 20).last == 1) }
            #expect(seen >= 3 << 20)
        }
    }
    #endif
}
#endif
