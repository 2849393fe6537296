extension Bitmap {
    /// The picture turned upright, given that its rows and columns are stored as `orientation` says.
    ///
    /// Returns `self` when it is already upright.
    ///
    /// Otherwise allocates a second bitmap with the same byte count while both are alive.
    package func upright(from orientation: Orientation, limits: DecodeLimits) throws(ImageLoaderError) -> Bitmap {
        guard orientation != .up else { return self }
        let turned = orientation.swapsSides ? PixelSize(width: size.height, height: size.width) : size
        var builder = try BitmapBuilder(size: turned, limits: limits)
        let walk = orientation.walk(over: size)
        // For 90 degree turns, source rows become target columns: working in bands of rows keeps both sides in the
        // cache.
        let band = orientation.swapsSides ? 16 : 1
        withBytes { source in
            source.withUnsafeBytes { source in
                let source = source.bindMemory(to: UInt32.self)
                builder.withBytes { target in
                    target.withUnsafeMutableBytes { target in
                        let target = target.bindMemory(to: UInt32.self)
                        for top in stride(from: 0, to: turned.height, by: band) {
                            for x in 0..<turned.width {
                                for y in top..<min(top + band, turned.height) {
                                    target[y * turned.width + x] = source[walk.start + x * walk.right + y * walk.down]
                                }
                            }
                        }
                    }
                }
            }
        }
        return builder.freeze()
    }
}

extension Orientation {
    /// The index of the stored pixel that becomes the upright picture's top left one, and the index distance of one
    /// step right and one step down in the upright picture.
    fileprivate func walk(over stored: PixelSize) -> (start: Int, right: Int, down: Int) {
        let width = stored.width
        let last = width * stored.height - 1
        return switch self {
        case .up: (0, 1, width)
        case .upMirrored: (width - 1, -1, width)
        case .down: (last, -1, -width)
        case .downMirrored: (last - width + 1, 1, -width)
        case .leftMirrored: (0, width, 1)
        case .right: (last - width + 1, -width, 1)
        case .rightMirrored: (last, -width, -1)
        case .left: (width - 1, width, -1)
        }
    }
}
