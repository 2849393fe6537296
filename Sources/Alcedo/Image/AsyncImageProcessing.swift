/// Makes a new picture from another one, and may await a model, another process or a server.
///
/// It is used as any processor, and its results are cached like theirs:
///
/// ```swift
/// struct WithoutBackground: AsyncImageProcessing {
///     let version: Int
///     let cutOut: @Sendable (Bitmap) async throws -> Bitmap
///
///     func identify(in identity: inout ProcessorIdentity) { identity.add(version) }
///
///     func result(of picture: Bitmap, _ context: ProcessingContext) async throws -> Bitmap {
///         try await cutOut(picture)
///     }
/// }
/// ```
///
/// ``DecodeSettings/maximumWaitingProcessors`` limits how many run at once; images that wait for their turn are in
/// memory. No decode waits for them. In ``ImageLoader/encoded(for:as:)-(ImageRequest,_)``, such a processor holds its
/// place from decoding until the file is encoded, and files that wait for their turn are bytes.
///
/// A processor may load images with the same loader, but none that has such a processor: that load might wait forever
/// for this processor's place.
public protocol AsyncImageProcessing: ImageProcessing {
    /// Makes the new picture. Called on the cooperative pool, so what blocks or calculates for long should run
    /// elsewhere.
    ///
    /// The Task is cancelled when the last caller leaves. That caller doesn't wait for the function to return;
    /// ``ImageLoader/close()`` does.
    ///
    /// - Parameters:
    ///   - picture: The decoded picture, or what the processor before this one made: premultiplied, upright.
    ///   - context: The image that the picture belongs to, and whether anybody still waits for it.
    /// - Throws: Any error, which arrives as ``ImageLoaderError/processingFailed(processor:_:)``.
    @concurrent func result(of picture: Bitmap, _ context: ProcessingContext) async throws -> Bitmap
}

extension AsyncImageProcessing {
    /// Animations become still images: ``AnimationProcessing/eachFrame`` can't be awaited, and is
    /// ``ImageLoaderError/invalidProcessor(_:parameter:value:)``.
    public var animations: AnimationProcessing { .firstFrame }

    /// What a load throws for an error of the processor. What it loads or cancels itself is something else.
    fileprivate func failureOfWaiting(_ error: any Error, _ context: ProcessingContext) -> ImageLoaderError {
        let failure = failure(error, context)
        switch failure {
        case .cancelled where context.cancellation.isCancelled: return failure
        case .processingFailed, .limitExceeded(.bitmapBytes, _, _), .unsupportedImage: return failure
        default: return .processingFailed(processor: name, UnderlyingError(failure))
        }
    }

    /// Always throws. Loads call ``result(of:_:)`` instead.
    public func process(_ picture: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
        throw ImageLoaderError.unsupportedConfiguration("a call of \(name) that doesn't wait")
    }
}

extension ProcessingChain {
    /// Whether a processor waits.
    var waits: Bool { processors.contains { $0 is any AsyncImageProcessing } }

    /// Whether the last processor waits.
    var lastWaits: Bool { processors.last is any AsyncImageProcessing }

    /// The image that the last processor makes of `image`, when it is one that waits.
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
