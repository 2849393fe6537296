import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Comparing the pixels of what is shown with those of what the server has.
@Suite(.timeLimit(.minutes(1))) struct PixelComparisonTests {
    private let gate = DecodeGate(DecodeSettings())

    private func image(_ width: Int, _ height: Int, last: UInt8 = 0) throws -> DecodedImage {
        var builder = try BitmapBuilder(size: PixelSize(width: width, height: height))
        builder.withUnsafeMutableBytes { $0[$0.count - 1] = last }
        return DecodedImage(bitmap: builder.freeze(), format: .png)
    }

    /// A comparison that takes longer than 0.2 ms would hold up all other tasks.
    @Test func largeImages_areComparedOutsideThePool() async throws {
        let onWorkers = Recorder<Bool>()
        let compare: @Sendable (Bitmap, Bitmap) -> Bool = {
            onWorkers.record(WorkerThreads.isCurrent)
            return $0 == $1
        }
        let (one, same, other) = (try image(600, 400), try image(600, 400), try image(600, 400, last: 1))
        #expect(await gate.isSame(one, same, by: compare))
        #expect(await !gate.isSame(one, other, by: compare))
        #expect(onWorkers.values == [true, true])
        // For small ones, a change of threads would take longer.
        let small = (try image(4, 4), try image(4, 4))
        #expect(await gate.isSame(small.0, small.1, by: compare))
        #expect(onWorkers.values == [true, true, false])
    }

    @Test func sameBitmap_andOtherSize_needNoComparison() async throws {
        let (one, turned) = (try image(600, 400), try image(400, 600))
        #expect(await gate.isSame(one, one) { _, _ in false })
        #expect(await !gate.isSame(one, turned) { _, _ in true })
    }
}
