import Alcedo
import Feed

/// Records the colors of the images that a cell has drawn.
@MainActor final class RecordingCanvas: Canvas {
    private(set) var colors: [SIMD4<UInt8>?] = []
    private let changes = AsyncStream<Void>.makeStream()

    func draw(_ picture: Bitmap?, fading: Bool) {
        colors.append(picture?[0, 0])
        changes.continuation.yield()
    }

    /// Waits until an image of that color is drawn.
    func shows(_ color: SIMD4<UInt8>) async {
        if colors.last == color { return }
        for await _ in changes.stream where colors.last == color { return }
    }
}
