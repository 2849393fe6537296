import AlcedoTestSupport

#if canImport(Glibc) && os(Linux) && JPEG && PNG && GIF && WebP
import Foundation
import Testing

import Alcedo
@testable import TestFixtures

/// Decodes of all kinds leave the memory as it was.
struct DecodeLeakTests {
    /// In a process of its own. ALCEDO_LEAK_DECODES makes it long.
    @Test(.timeLimit(.minutes(10))) func decodesGiveAllMemoryBack() async {
        await #expect(processExitsWith: .success) {
            let count = ProcessInfo.processInfo.environment["ALCEDO_LEAK_DECODES"].flatMap { Int($0) } ?? 2_500
            let files = try GeneratedFile.all.map { try $0.make().data } + Bomb.all.map(\.data)
            // Until all that is made once is there, by the measure and by what keeps bitmaps' memory too, and the C
            // library's small stores are full.
            _ = Self.decode(files, 2_500)
            _ = try Heap.bytesInUse()
            // What is made once is in one round, and what the C library keeps aside fills up over the first few
            // (17,673 and 3,909 bytes, once); what leaks is in each.
            var (kept, pictures) = (Int.max, 0)
            for _ in 0..<8 where kept >= 5_000 {
                let before = try Heap.bytesInUse()
                pictures = Self.decode(files, count)
                let after = try Heap.bytesInUse()
                kept = min(kept, after - before)
            }
            // A good part of them came to an end, and a good part did not.
            #expect(pictures > count / 5 && pictures < count * 4 / 5)
            // Of 2,500 decodes of 75 kinds, each kind is done 33 times: so it sees 170 bytes that one kind leaves.
            #expect(kept < 5_000, "\(kept) bytes after \(count) decodes")
        }
    }

    /// So many decodes, each in its own way; how many of them ended with a picture.
    ///
    /// Three files have 10,001 frames. Without optimization they take much longer than all others together, so each is
    /// decoded just once. Small animations with more frames than a lower limit allows end in the same way.
    private static func decode(_ files: [Data], _ count: Int) -> Int {
        let (small, large) = (files.filter { $0.count < 100_000 }, files.filter { $0.count >= 100_000 })
        for file in large { _ = isPicture(file, .whole) }
        return (0..<count).count { number in
            isPicture(small[number % small.count], Way.allCases[number / small.count % Way.allCases.count])
        }
    }

    private static func isPicture(_ file: Data, _ way: Way) -> Bool {
        let result = Result { () throws(ImageLoaderError) in try decode(file, way) }
        if case .success = result { return true }
        return false
    }

    /// Cancelled is what the codec finds cancelled, when it has begun.
    private enum Way: CaseIterable { case whole, small, limited, moving, cancelled }

    private static func decode(_ data: Data, _ way: Way) throws(ImageLoaderError) {
        let decoder = try ImageDecoders.builtIn.decoder(for: data)
        var request = DecodeRequest()
        switch way {
        case .whole: _ = try decoder.decode(data, request)
        case .small:
            request.target = DecodeTarget(PixelSize(width: 3, height: 2), mode: .crop)
            request.frames = .first
            _ = try decoder.decode(data, request)
        case .limited:
            request.limits.frames = 1
            _ = try decoder.decode(data, request)
        case .moving, .cancelled:
            guard let decoder = decoder as? any StoredImageDecoding else { return }
            let header = try decoder.header(of: data, limits: request.limits)
            if way == .cancelled { request.cancellation.cancel() }
            let picture = try decoder.decodeStored(data, header, atLeast: nil, request)
            guard let animation = picture.animation else { return }
            var frames = try animation.makeFrames()
            for _ in animation.delays { _ = try frames.next() }
        }
    }
}
#endif
