import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import TestFixtures

#if os(Linux) && JPEG && PNG && GIF && WebP
/// What the conformance set checks, in every clone.
struct GeneratedConformanceTests {
    @Test(arguments: GeneratedFile.all)
    func generatedImage_decodesAsExpected(_ file: GeneratedFile) throws {
        let contents = try file.make()
        let result = Result { () throws(ImageLoaderError) in try Self.frames(of: contents.data) }
        switch (file.outcome, result) {
        case (.ok, .success(let frames)):
            try #require(frames.count == contents.frames.count)
            for (frame, expected) in zip(frames, contents.frames) {
                #expect(frame.meanSquareDifference(from: expected) <= contents.difference)
            }
        case (.ok, .failure(let error)): Issue.record("\(error)")
        case (.error, _): #expect(throws: ImageLoaderError.self) { try result.get() }
        case (.partial, .success(let frames)): #expect(frames.allSatisfy { $0.size == contents.size })
        case (.partial, .failure(let error)): #expect(error != .cancelled)
        }
    }

    @Test(arguments: GeneratedFile.Kind.allCases, GeneratedFile.Outcome.allCases)
    func atLeastThreeFilesExist(_ kind: GeneratedFile.Kind, _ outcome: GeneratedFile.Outcome) {
        #expect(GeneratedFile.all.count { $0.kind == kind && $0.outcome == outcome } >= 3)
    }

    private static func frames(of data: Data) throws(ImageLoaderError) -> [Bitmap] {
        guard let decoder = try ImageDecoders.builtIn.decoder(for: data) as? any StoredImageDecoding else {
            return []
        }
        let header = try decoder.header(of: data, limits: DecodeLimits())
        let picture = try decoder.decodeStored(data, header, atLeast: nil, DecodeRequest())
        guard let animation = picture.animation else { return [picture.bitmap] }
        var frames = try animation.makeFrames()
        var bitmaps: [Bitmap] = []
        for _ in animation.delays { bitmaps.append(try frames.next()) }
        return bitmaps
    }
}
#endif
