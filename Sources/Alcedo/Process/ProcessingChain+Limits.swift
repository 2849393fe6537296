extension ProcessingChain {
    /// Throws if the chain can't process any image, because a result would certainly exceed the limits or be smaller
    /// than a part to cut out.
    func validate(within limits: DecodeLimits) throws(ImageLoaderError) {
        // The maximum length of a side.
        let side = min(limits.side, limits.pixels, limits.bitmapBytes / 4)
        let largest = PixelSize(width: side, height: side)
        // The smallest result so far, and whether it is the same for all images.
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

    /// The smallest result for any image, unless all results have the same size. A wide image may cover the size with
    /// fewer pixels than a square one, and fit within it as a single row.
    fileprivate var leastResultSize: PixelSize {
        allowsUpscaling && mode == .fill ? size : PixelSize(width: 1, height: 1)
    }
}
