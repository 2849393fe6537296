#if canImport(ImageIO) || os(Linux) && JPEG && PNG
import Alcedo
import AlcedoTestSupport

/// Processors that a program calls itself.
enum ProcessorRows {
    private struct Failure: Error {}

    private struct Waiting: AsyncImageProcessing {
        let fails: Bool

        func identify(in identity: inout ProcessorIdentity) { identity.add(fails) }

        func result(of picture: Bitmap, _ context: ProcessingContext) async throws -> Bitmap {
            await Task.yield()
            if fails { throw Failure() }
            return picture
        }
    }

    static let all = [
        Row(
            "AsyncImageProcessing.result(of: Bitmap, _: ProcessingContext)", { try scenario(fails: false) },
            { try scenario(fails: true) })
    ]

    private static func scenario(fails: Bool) throws -> Scenario {
        let picture = try BitmapBuilder(size: PixelSize(width: 1, height: 1)).freeze()
        return Scenario(fails ? .error : .value) { here in
            let processor: any AsyncImageProcessing = Waiting(fails: fails)
            defer { here.note() }
            _ = try await processor.result(of: picture, ProcessingContext(originalSize: picture.size))
        }
    }
}
#endif
