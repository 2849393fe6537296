extension ProcessingChain {
    /// Throws if no picture can be processed: one would certainly be larger than the limits permit, or smaller than a
    /// part to cut out.
    func validate(within limits: DecodeLimits) throws(ImageLoaderError) {
        // The longest that a side can be.
        let side = min(limits.side, limits.pixels, limits.bitmapBytes / 4)
        let largest = PixelSize(width: side, height: side)
        // The least that each processor makes, and whether it makes that of all pictures.
        var (size, isFixed) = (PixelSize(width: 1, height: 1), false)
        for processor in processors {
            let (crop, resize) = (processor as? CropProcessor, processor as? ResizeProcessor)
            _ = try crop?.rectangle(in: isFixed ? size : largest)
            isFixed = isFixed || crop != nil || resize?.isFixed == true
            size = (isFixed ? nil : resize?.leastResultSize) ?? processor.resultSize(of: size).atLeastOne
            try processor.require("size", size, within: limits)
        }
    }
}

extension ResizeProcessor {
    /// Whether all results have the same size.
    fileprivate var isFixed: Bool { mode == .exact && allowsUpscaling }

    /// The least that it makes of any picture, unless that is fixed: a wide one may cover the size with fewer pixels
    /// than a square one does, and fit within it with a single row.
    fileprivate var leastResultSize: PixelSize {
        allowsUpscaling && mode == .fill ? size : PixelSize(width: 1, height: 1)
    }
}
