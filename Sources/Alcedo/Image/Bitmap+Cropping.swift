import Foundation

extension Bitmap {
    /// The part of the picture that `plan` shows. Allocates a bitmap of that size.
    func cropped(_ plan: DecodeTarget.Plan, limits: DecodeLimits) throws(ImageLoaderError) -> Bitmap {
        precondition(plan.x >= 0 && plan.x + plan.part.width <= size.width, "cut outside the picture")
        precondition(plan.y >= 0 && plan.y + plan.part.height <= size.height, "cut outside the picture")
        var builder = try BitmapBuilder(size: plan.part, limits: limits)
        let (length, stride) = (plan.part.width * 4, bytesPerRow)
        withBytes { source in
            source.withUnsafeBytes { source in
                builder.withBytes { target in
                    target.withUnsafeMutableBytes { target in
                        for y in 0..<plan.part.height {
                            let start = (plan.y + y) * stride + plan.x * 4
                            UnsafeMutableRawBufferPointer(rebasing: target[y * length..<(y + 1) * length])
                                .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[start..<start + length]))
                        }
                    }
                }
            }
        }
        return builder.freeze()
    }
}
