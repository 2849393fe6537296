#if os(Linux) && HEIC
/// The crop of an image and its subsequent turn (ISO/IEC 23008-12, sections 6.5.9, 6.5.10 and 6.5.12).
struct HEIFTransforms: Equatable {
    /// The part of the stored image that is shown.
    private(set) var x = 0
    private(set) var y = 0
    private(set) var size: PixelSize
    /// Whether left and right are exchanged before the rotation.
    private var isMirrored = false
    /// The number of rotations by 90 degrees counterclockwise.
    private var quarters = 0

    static let types: Set = ["clap", "irot", "imir"]

    init(of size: PixelSize) { self.size = size }

    var orientation: Orientation {
        let plain: [Orientation] = [.up, .left, .down, .right]
        let mirrored: [Orientation] = [.upMirrored, .leftMirrored, .downMirrored, .rightMirrored]
        return (isMirrored ? mirrored : plain)[quarters]
    }

    mutating func apply(_ property: HEIFItems.Property, _ bytes: Span<UInt8>) throws(ImageLoaderError) {
        let value = bytes.byte(at: property.content.lowerBound) ?? 0
        switch property.type {
        case "irot": quarters = (quarters + Int(value & 3)) & 3
        case "imir":
            isMirrored.toggle()
            // Exchanging top and bottom is the same as exchanging left and right and making half a rotation.
            quarters = (4 - quarters + (value & 1 == 0 ? 2 : 0)) & 3
        case "clap": try crop(property.content, bytes)
        default: break
        }
    }

    /// Reads a crop box, which contains fractions: the size of the crop, and the distance of its center from the
    /// image's.
    private mutating func crop(_ box: Range<Int>, _ bytes: Span<UInt8>) throws(ImageLoaderError) {
        guard orientation == .up else { throw .unsupportedImage(.heic, reason: "cropped after it is turned") }
        let numbers = (0..<8).compactMap { bytes.long(at: box.lowerBound + $0 * 4) }
        guard box.count >= 32, numbers.count == 8, stride(from: 1, to: 8, by: 2).allSatisfy({ numbers[$0] > 0 }) else {
            throw .corruptImage(.heic, reason: "a crop without a size")
        }
        func fraction(_ index: Int) -> Double {
            Double(Int32(truncatingIfNeeded: numbers[index])) / Double(numbers[index + 1])
        }
        let (width, height) = (fraction(0).rounded(), fraction(2).rounded())
        let left = (fraction(4) + (Double(size.width) - width) / 2).rounded(.down)
        let top = (fraction(6) + (Double(size.height) - height) / 2).rounded(.down)
        guard width >= 1, height >= 1, left >= 0, top >= 0, left + width <= Double(size.width),
            top + height <= Double(size.height)
        else { throw .corruptImage(.heic, reason: "a crop beyond the edges") }
        x += Int(left)
        y += Int(top)
        size = PixelSize(width: Int(width), height: Int(height))
    }
}
#endif
