/// The frame header of a JPEG (ITU-T T.81, B.2.2).
struct JPEGFrame {
    let size: PixelSize
    let components: [(across: Int, down: Int)]
    private var hasSeveralScans: Bool

    /// - Parameter offset: The offset of the segment's length.
    init(_ marker: UInt8, in bytes: Span<UInt8>, at offset: Int) throws(ImageLoaderError) {
        switch marker {
        case 0xC0, 0xC1, 0xC2, 0xC9, 0xCA: break
        case 0xC3, 0xCB: throw .unsupportedImage(.jpeg, reason: "lossless")
        default: throw .unsupportedImage(.jpeg, reason: "hierarchical")
        }
        // Length (2 bytes), precision (1), height (2), width (2), number of components (1), 3 for each component.
        guard let precision = bytes.byte(at: offset + 2), let height = bytes.word(at: offset + 3),
            let width = bytes.word(at: offset + 5)
        else { throw .corruptImage(.jpeg, reason: "ends within the frame header") }
        guard precision == 8 else { throw .unsupportedImage(.jpeg, reason: "\(precision) bits per sample") }
        if height == 0, width > 0, JPEGMarkers.definesLines(in: bytes, after: offset) {
            throw .unsupportedImage(.jpeg, reason: "its height comes behind the first scan (DNL)")
        }
        guard width > 0, height > 0 else { throw .corruptImage(.jpeg, reason: "\(width) × \(height) pixels") }
        size = PixelSize(width: width, height: height)
        hasSeveralScans = marker == 0xC2 || marker == 0xCA
        components = (0..<Int(bytes.byte(at: offset + 7) ?? 0)).compactMap { index in
            bytes.byte(at: offset + 9 + index * 3).map { (across: Int($0 >> 4), down: Int($0 & 15)) }
        }
    }

    /// If the first scan doesn't contain all components, there are more scans.
    mutating func setComponents(ofFirstScan count: Int) {
        if count < components.count { hasSeveralScans = true }
    }

    /// The size of all components' coefficients, 2 bytes each, if all scans are needed before the first row; 0
    /// otherwise.
    var coefficientBytes: Int {
        guard hasSeveralScans, let across = components.map(\.across).max(), let down = components.map(\.down).max(),
            across > 0, down > 0
        else { return 0 }
        return components.reduce(0) { sum, component in
            let width = Self.blocks(size.width * component.across, of: 8 * across)
            let height = Self.blocks(size.height * component.down, of: 8 * down)
            return sum + width * height * 64 * 2
        }
    }

    private static func blocks(_ samples: Int, of side: Int) -> Int { (samples + side - 1) / side }
}
