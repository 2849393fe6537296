/// Transforms a decoded image, for example by blurring, tinting or cropping it.
///
/// A processor is a value. Its result depends only on its parameters, the image that it is given and the context, so
/// that it can be cached. Requests carry processors in ``ImageRequest/processors``.
///
/// ```swift
/// struct Sepia: ImageProcessing {
///     var strength = 1.0
///
///     func identify(in identity: inout ProcessorIdentity) {
///         identity.add(1)  // The version.
///         identity.add(strength)
///     }
///
///     func validate() throws(ImageLoaderError) {
///         guard (0...1).contains(strength) else {
///             throw .invalidProcessor(
///                 "Sepia", parameter: "strength", value: "\(strength)")
///         }
///     }
///
///     func process(_ image: Bitmap, _ context: ProcessingContext) throws -> Bitmap {
///         try image.mapPixels(context) { pixel in
///             let (colors, alpha) = (SIMD4<Double>(pixel), Double(pixel.w))
///             let gray = (colors.x + colors.y + colors.z) / 3
///             let sepia = SIMD4(gray * 1.1, gray * 0.95, gray * 0.8, alpha)
///             let mixed = colors * (1 - strength) + sepia * strength
///             let limited = mixed.clamped(
///                 lowerBound: .zero, upperBound: SIMD4(repeating: alpha))
///             return SIMD4<UInt8>(limited, rounding: .toNearestOrEven)
///         }
///     }
/// }
/// ```
public protocol ImageProcessing: Sendable {
    /// Adds every parameter that affects the pixels, in a fixed order. Add a version too, and change it with the
    /// algorithm: images on disk outlive the program that made them.
    ///
    /// The type is already part of the identity. On disk, it is identified by its name. Private and local types have no
    /// lasting name, so their results are only kept in memory.
    ///
    /// Called each time processors are set on a request, so it should take no more than a few nanoseconds.
    func identify(in identity: inout ProcessorIdentity)

    /// Returns the transformed image. Called on a thread outside the cooperative pool.
    ///
    /// Long computations should call ``ProcessingContext/checkCancellation()`` from time to time.
    ///
    /// - Parameters:
    ///   - image: The decoded image, or the result of the processor before this one: premultiplied, upright.
    ///   - context: The properties of the image, the limits for the result, and the cancellation.
    /// - Throws: An ``ImageLoaderError``, or any other error, which arrives as
    ///   ``ImageLoaderError/processingFailed(processor:_:)``.
    func process(_ image: Bitmap, _ context: ProcessingContext) throws -> Bitmap

    /// The size of the result of ``process(_:_:)`` for an image of this size. Default: the same size.
    ///
    /// Implement this if the processor changes the size. A load waits until that much memory is available. A request is
    /// refused before anything is loaded if the result would exceed the limits even for an image of one pixel, or if a
    /// crop is larger than any result of the processors before it. A side below 1 counts as 1.
    func resultSize(of image: PixelSize) -> PixelSize

    /// How to process an animation. Default: ``AnimationProcessing/eachFrame``.
    var animations: AnimationProcessing { get }

    /// Checks the parameters. Called before anything is loaded. By default, all are accepted.
    ///
    /// - Throws: ``ImageLoaderError/invalidProcessor(_:parameter:value:)``.
    func validate() throws(ImageLoaderError)
}

extension ImageProcessing {
    public func resultSize(of image: PixelSize) -> PixelSize { image }

    public var animations: AnimationProcessing { .eachFrame }

    public func validate() throws(ImageLoaderError) {}
}

/// The result of a processor for an animation.
public enum AnimationProcessing: Sendable, Hashable {
    /// Each frame is processed on its own, when it is decoded. All results must have the same size.
    case eachFrame
    /// The result is a still image, made from the first frame.
    case firstFrame
    /// Animations end the load with ``ImageLoaderError/unsupportedImage(_:reason:)``.
    case refused
}
