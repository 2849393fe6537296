/// Checks of the processors' parameters.
extension ImageProcessing {
    /// The error for a parameter's value.
    func invalid(_ parameter: String, _ value: some Any) -> ImageLoaderError {
        .invalidProcessor(name, parameter: parameter, value: "\(value)")
    }

    /// Throws unless the value is in the range, which NaN never is.
    func require<Value: Comparable>(
        _ parameter: String, _ value: Value, in range: ClosedRange<Value>
    ) throws(ImageLoaderError) {
        guard range.contains(value) else { throw invalid(parameter, value) }
    }

    /// Throws unless both sides are at least 1.
    func require(_ parameter: String, _ size: PixelSize) throws(ImageLoaderError) {
        guard size.width >= 1, size.height >= 1 else { throw invalid(parameter, size) }
    }

    /// Throws unless an image of this size is within the limits.
    func require(
        _ parameter: String, _ size: PixelSize, within limits: DecodeLimits
    ) throws(ImageLoaderError) {
        do { _ = try limits.bitmapBytes(for: size) } catch { throw invalid(parameter, size) }
    }
}

/// The longest distance, in pixels, that a parameter may state: the default limit for the sides of an image.
let longestDistance = 32_767.0

extension ProcessorIdentity {
    mutating func add(_ color: PixelColor) { add([color.red, color.green, color.blue, color.alpha]) }

    mutating func add(_ size: PixelSize) {
        add(size.width)
        add(size.height)
    }
}
