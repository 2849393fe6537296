import Alcedo
import Synchronization

/// Counts its runs, and makes images that show which processors made them, in which order: each one multiplies the
/// first pixel's red by three and adds its number.
struct CountingProcessor: ImageProcessing {
    final class Runs: Sendable {
        private let numbers = Mutex<[Int]>([])
        /// Called before each run, which it may delay or fail.
        let gate = Mutex<(@Sendable (ProcessingContext) throws -> Void)?>(nil)

        var all: [Int] { numbers.withLock { $0 } }

        fileprivate func note(_ number: Int, _ context: ProcessingContext) throws {
            numbers.withLock { $0.append(number) }
            try gate.withLock { $0 }?(context)
        }
    }

    let number: Int
    let runs: Runs
    var animations = AnimationProcessing.eachFrame
    /// The size of the output; nil for the size of the input.
    var size: PixelSize?

    init(_ number: Int, _ runs: Runs) {
        self.number = number
        self.runs = runs
    }

    func identify(in identity: inout ProcessorIdentity) { identity.add(number) }

    func process(_ picture: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        try runs.note(number, context)
        var builder = try BitmapBuilder(size: size ?? picture.size, limits: context.limits)
        let pixel = picture[0, 0]
        builder.withBytes { bytes in
            for offset in stride(from: 0, to: bytes.byteCount, by: 4) {
                bytes.storeBytes(of: pixel.x &* 3 &+ UInt8(number), toByteOffset: offset, as: UInt8.self)
                bytes.storeBytes(of: 255, toByteOffset: offset + 3, as: UInt8.self)
            }
        }
        return builder.freeze()
    }
}
