import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The pictures beside the tests, which make-references.py makes, and make-tool-references.py those in tools/.
enum ReferencePicture {
    private static let folder = SourceFile.package.appendingPathComponent("Tests/ImageTests/Process/References")

    static func read(_ name: String) throws -> Bitmap {
        let data = try Data(contentsOf: folder.appendingPathComponent(name + ".png"))
        return try ImageDecoders.builtIn.decode(data).bitmap
    }
}

extension Bitmap {
    /// The greatest difference of a channel; nil if the sizes differ.
    func difference(from other: Bitmap) -> Int? {
        guard size == other.size else { return nil }
        return withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                zip(one, other).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
            }
        }
    }

    /// The mean difference of all channels; nil if the sizes differ.
    func meanDifference(from other: Bitmap) -> Double? {
        guard size == other.size else { return nil }
        return withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                Double(zip(one, other).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }) / Double(one.count)
            }
        }
    }
}

extension ImageProcessing {
    /// What the processor makes of a picture.
    func made(of picture: Bitmap, limits: DecodeLimits = DecodeLimits()) throws -> Bitmap {
        try process(picture, ProcessingContext(originalSize: picture.size, limits: limits))
    }
}
