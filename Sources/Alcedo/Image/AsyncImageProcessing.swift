/// Transforms a decoded image asynchronously, for example with a model, another process or a server.
///
/// It is used like any other processor, and its results are cached in the same way:
///
/// ```swift
/// struct WithoutBackground: AsyncImageProcessing {
///     let version: Int
///     let cutOut: @Sendable (Bitmap) async throws -> Bitmap
///
///     func identify(in identity: inout ProcessorIdentity) { identity.add(version) }
///
///     func result(
///         of bitmap: Bitmap, _ context: ProcessingContext
///     ) async throws -> Bitmap {
///         try await cutOut(bitmap)
///     }
/// }
/// ```
///
/// ``DecodeSettings/maximumWaitingProcessors`` limits how many of these processors run at the same time; images that
/// wait for their turn stay in memory. Decoding never waits for these processors. In
/// ``ImageLoader/encoded(for:as:)-(ImageRequest,_)``, an asynchronous processor occupies its place from decoding until
/// the file is encoded, and images that wait for their turn aren't decoded yet.
///
/// A processor may load images with the same loader, but not with an asynchronous processor: that load might wait
/// forever for this processor's place.
public protocol AsyncImageProcessing: ImageProcessing {
    /// Returns the transformed image. Called on the cooperative pool, so code that blocks or calculates for long should
    /// run elsewhere.
    ///
    /// The Task is cancelled when the last caller leaves. That caller doesn't wait for the function to return;
    /// ``ImageLoader/close()`` does.
    ///
    /// - Parameters:
    ///   - bitmap: The decoded image, or the result of the processor before this one: premultiplied, upright.
    ///   - context: The properties of the image, the limits for the result, and the cancellation.
    /// - Throws: Any error, which arrives as ``ImageLoaderError/processingFailed(processor:_:)``.
    @concurrent func result(of bitmap: Bitmap, _ context: ProcessingContext) async throws -> Bitmap
}

extension AsyncImageProcessing {
    /// Turns animations into still images. ``AnimationProcessing/eachFrame`` isn't supported and causes
    /// ``ImageLoaderError/invalidProcessor(_:parameter:value:)``.
    public var animations: AnimationProcessing { .firstFrame }

    /// Converts an error of the processor to the error of the load. Errors of loads that the processor starts, and of
    /// work that it cancels, are wrapped as ``ImageLoaderError/processingFailed(processor:_:)``.
    fileprivate func failureOfWaiting(_ error: any Error, _ context: ProcessingContext) -> ImageLoaderError {
        let failure = failure(error, context)
        switch failure {
        case .cancelled where context.cancellation.isCancelled: return failure
        case .processingFailed, .limitExceeded(.bitmapBytes, _, _), .unsupportedImage: return failure
        default: return .processingFailed(processor: name, UnderlyingError(failure))
        }
    }

    /// Always throws. Loads call ``result(of:_:)`` instead.
    public func process(_ bitmap: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        throw ImageLoaderError.unsupportedConfiguration("a call of \(name) that doesn't wait")
    }
}

extension ProcessingChain {
    /// Whether any processor is asynchronous.
    var waits: Bool { processors.contains { $0 is any AsyncImageProcessing } }

    /// Whether the last processor is asynchronous.
    var lastWaits: Bool { processors.last is any AsyncImageProcessing }

    /// Applies the last processor to `image`, if it is asynchronous; otherwise returns `image`.
    func lastWaiting(
        of image: DecodedImage, from source: String?, _ limits: DecodeLimits, _ cancellation: DecodeCancellation
    ) async -> Result<DecodedImage, ImageLoaderError> {
        guard let processor = processors.last as? any AsyncImageProcessing else { return .success(image) }
        let context = ProcessingContext(image, from: source, limits, cancellation)
        do {
            _ = try processor.animation(of: image)
            try context.checkCancellation()
            let bitmap = try await processor.result(of: image.bitmap, context)
            _ = try limits.bitmapBytes(for: bitmap.size)
            return .success(image.processed(bitmap))
        } catch {
            return .failure(processor.failureOfWaiting(error, context))
        }
    }
}
