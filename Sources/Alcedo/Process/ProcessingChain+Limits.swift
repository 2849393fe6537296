extension ProcessingChain {
    /// Throws if a picture would certainly be larger than the limits permit, whatever it is made of.
    func validate(within limits: DecodeLimits) throws(ImageLoaderError) {
        // The least that each processor makes.
        var size = PixelSize(width: 1, height: 1)
        for processor in processors {
            size = (processor as? ResizeProcessor)?.leastResultSize ?? processor.resultSize(of: size)
            try processor.require("size", size, within: limits)
        }
    }
}

extension ResizeProcessor {
    /// The least that it makes of any picture: a wide one may cover the size with fewer pixels than a square one does,
    /// and fit within it with a single row.
    fileprivate var leastResultSize: PixelSize {
        guard allowsUpscaling else { return PixelSize(width: 1, height: 1) }
        return mode == .fit ? PixelSize(width: 1, height: 1) : size
    }
}
