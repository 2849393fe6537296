extension ProcessingChain {
    /// Applies all processors to `image`, one after the other.
    ///
    /// - Parameter source: See ``ProcessingContext/source``.
    func image(
        of image: DecodedImage, from source: String?, _ limits: DecodeLimits, _ cancellation: DecodeCancellation,
        with threads: IdleThreads
    ) throws(ImageLoaderError) -> DecodedImage {
        let before = try input?.image(of: image, from: source, limits, cancellation, with: threads) ?? image
        return try last(of: before, from: source, limits, cancellation, with: threads)
    }

    /// Applies the last processor to `image`, the result of the processors before it.
    func last(
        of image: DecodedImage, from source: String? = nil, _ limits: DecodeLimits,
        _ cancellation: DecodeCancellation, with threads: IdleThreads = .none
    ) throws(ImageLoaderError) -> DecodedImage {
        guard let processor = processors.last else { return image }
        let animation = try processor.animation(of: image)
        var context = ProcessingContext(image, from: source, limits, cancellation)
        context.idleThreads = threads
        let bitmap = try processor.applied(to: image.bitmap, context)
        guard let animation else { return image.processed(bitmap) }
        // Later frames are processed after the load has ended.
        context.cancellation = DecodeCancellation()
        context.idleThreads = .none
        let later = try (processor as? any FirstFrameDeciding)?.decided(on: image.bitmap) ?? processor
        let size = bitmap.size
        try limits.check(animation: size, frames: 1)
        let frames = animation.processed(to: size) { [context] (frame) throws(ImageLoaderError) in
            let frame = try later.applied(to: frame, context)
            guard frame.size == size else {
                throw .processingFailed(processor: processor.name, UnderlyingError(FramesDiffer()))
            }
            return frame
        }
        return image.processed(bitmap, animation: frames)
    }

    /// The bytes of the last processor's input and result, for an input of this size.
    func workingBytes(last input: PixelSize) -> Int { input.byteCount + last(input).byteCount }

    /// The most bytes of bitmaps that the processors have in memory, for a decoded image of this size, and the size of
    /// their result.
    func workingBytes(of picture: PixelSize) -> (bytes: Int, result: PixelSize) {
        guard let (bytes, before) = input?.workingBytes(of: picture) else {
            return (workingBytes(last: picture), last(picture))
        }
        // The decoded image stays in memory until the last processor is done.
        return (max(bytes, workingBytes(last: before) + picture.byteCount), last(before))
    }

    private func last(_ picture: PixelSize) -> PixelSize {
        processors.last?.resultSize(of: picture).atLeastOne ?? picture
    }
}

extension PixelSize {
    /// The bytes of a bitmap of this size, limited to a quarter of the largest integer.
    package var byteCount: Int { min(width.multiplied(by: height), .max / 16) * 4 }
}

/// A processor that derives its parameters for all frames of an animation from the first one.
protocol FirstFrameDeciding: ImageProcessing {
    /// The processor for the frames after `first`.
    func decided(on first: Bitmap) throws(ImageLoaderError) -> any ImageProcessing
}

/// The error of a processor that returns frames of different sizes.
private struct FramesDiffer: Error, CustomStringConvertible {
    var description: String { "the frames of an animation have different sizes" }
}

extension ImageProcessing {
    /// The processor's name in errors.
    var name: String { String(describing: Self.self) }

    fileprivate func applied(
        to picture: Bitmap, _ context: ProcessingContext
    ) throws(ImageLoaderError) -> Bitmap {
        do {
            try context.checkCancellation()
            let new = try process(picture, context)
            _ = try context.limits.bitmapBytes(for: new.size)
            return new
        } catch {
            throw failure(error, context)
        }
    }

    /// Converts an error of the processor to the error of the load.
    func failure(_ error: any Error, _ context: ProcessingContext) -> ImageLoaderError {
        if let error = error as? ImageLoaderError { return error }
        return context.cancellation.isCancelled
            ? .cancelled : .processingFailed(processor: name, UnderlyingError(error))
    }

    /// The animation whose frames are processed one by one; nil for a still result.
    func animation(of image: DecodedImage) throws(ImageLoaderError) -> AnimatedImage? {
        guard let animation = image.animation else { return nil }
        switch animations {
        case .eachFrame: return animation
        case .firstFrame: return nil
        case .refused:
            throw .unsupportedImage(
                image.format ?? ImageFormat(rawValue: "unknown"), reason: "\(name) refuses animations")
        }
    }
}
