import Foundation

/// The metadata in the segments before the first scan of a JPEG (ITU-T T.81, annex B). Doesn't read pixels.
struct JPEGMarkers {
    let size: PixelSize
    let orientation: Orientation
    /// The size of the ICC profile in bytes; nil when there is none or it is incomplete.
    var profileBytes: Int? { profileSegments.byteCount }
    /// The bytes that libjpeg keeps until it has read the last of several scans; 0 for a file with a single scan.
    let coefficientBytes: Int
    private let profileSegments: ICCSegments
    private let componentCount: Int
    var hasInks: Bool { componentCount == 4 }

    init(scanning bytes: Span<UInt8>, limits: DecodeLimits) throws(ImageLoaderError) {
        guard bytes.word(at: 0) == 0xFFD8 else { throw .corruptImage(.jpeg, reason: "no start marker") }
        var frame: JPEGFrame?
        var orientation: Orientation?
        var profile = ICCSegments()
        var offset = 2
        while let marker = Self.nextMarker(in: bytes, at: &offset) {
            switch marker {
            case 0xD8, 0x01, 0xD0...0xD7: continue  // markers without a segment
            case 0xDA:
                // The first scan. It contains all components unless there are more scans.
                if let count = bytes.byte(at: offset + 2) { frame?.setComponents(ofFirstScan: Int(count)) }
                offset = bytes.count
            case 0xD9: offset = bytes.count
            default:
                guard let length = bytes.word(at: offset), length >= 2 else {
                    throw .corruptImage(.jpeg, reason: "a segment without a length")
                }
                if Self.frameMarkers.contains(marker) {
                    frame = try JPEGFrame(marker, in: bytes, at: offset)
                } else if marker == 0xE1, orientation == nil, bytes.has("Exif\0", at: offset + 2) {
                    try limits.check(metadataBytes: length)
                    let end = min(offset + length, bytes.count)
                    orientation = Orientation(exif: bytes.extracting(min(offset + 8, end)..<end))
                } else if marker == 0xE2 {
                    try profile.add(bytes, from: offset + 2, to: offset + length, limits: limits)
                }
                offset += length
            }
        }
        guard let frame else { throw .corruptImage(.jpeg, reason: "no frame header before the first scan") }
        size = frame.size
        coefficientBytes = frame.coefficientBytes
        componentCount = frame.components.count
        self.orientation = orientation ?? .up
        profileSegments = profile
    }

    /// The ICC profile of the decoded pixels, taken from the bytes that were scanned.
    ///
    /// Gray pixels may have an RGB profile, as in browsers. Inks are converted to sRGB; see ``inkProfile(in:)``.
    func profile(in bytes: Span<UInt8>) -> Data? {
        if hasInks { return nil }
        let spaces: [ProfileHeader.Space] = componentCount == 1 ? [.gray, .rgb] : componentCount == 3 ? [.rgb] : []
        return profileSegments.joined(in: bytes)?.profile(of: spaces)
    }

    /// The ICC profile of the inks; nil if the file has no profile or no inks.
    func inkProfile(in bytes: Span<UInt8>) -> Data? {
        hasInks ? profileSegments.joined(in: bytes)?.profile(of: [.inks]) : nil
    }

    /// Whether a segment after `offset` defines the number of lines (DNL), as is allowed when the frame header doesn't.
    static func definesLines(in bytes: Span<UInt8>, after offset: Int) -> Bool {
        var offset = offset
        while let marker = nextMarker(in: bytes, at: &offset) {
            if marker == 0xDC, bytes.word(at: offset) == 4, let lines = bytes.word(at: offset + 2) { return lines > 0 }
        }
        return false
    }

    /// Whether all segments before the first scan have arrived, and the first scan's header up to its component count,
    /// which shows whether more scans follow.
    static func hasReachedScan(_ bytes: Span<UInt8>) -> Bool {
        var offset = 2
        while let marker = nextMarker(in: bytes, at: &offset) {
            switch marker {
            case 0xD8, 0x01, 0xD0...0xD7: continue
            case 0xDA: return bytes.byte(at: offset + 2) != nil
            default: break
            }
            guard let length = bytes.word(at: offset) else { return false }
            offset += length
        }
        return false
    }

    /// The number of scans that have begun.
    static func scans(in bytes: Span<UInt8>) -> Int {
        var (offset, count) = (2, 0)
        while let marker = nextMarker(in: bytes, at: &offset) {
            if marker == 0xD8 || marker == 0x01 || (0xD0...0xD7).contains(marker) { continue }
            if marker == 0xDA { count += 1 }
            guard marker != 0xD9, let length = bytes.word(at: offset) else { break }
            offset += length
        }
        return count
    }

    /// C0 to CF without DHT (C4), JPG (C8) and DAC (CC).
    private static let frameMarkers = Set<UInt8>(0xC0...0xCF).subtracting([0xC4, 0xC8, 0xCC])

    /// The next marker at or after `offset`, which moves past it. Skips stray bytes, as libjpeg does.
    static func nextMarker(in bytes: Span<UInt8>, at offset: inout Int) -> UInt8? {
        while offset + 1 < bytes.count {
            if bytes[offset] == 0xFF, bytes[offset + 1] != 0xFF, bytes[offset + 1] != 0 {
                offset += 2
                return bytes[offset - 1]
            }
            offset += 1
        }
        return nil
    }
}

extension ImageHeader {
    /// Reads the header of a JPEG: its segments up to the first scan.
    init(jpeg data: Data, limits: DecodeLimits) throws(ImageLoaderError) {
        let markers = try JPEGMarkers(scanning: data.span, limits: limits)
        self.init(format: .jpeg, size: markers.size, orientation: markers.orientation)
        hasAlpha = false
        // Other depths are rejected.
        bitsPerSample = 8
        frameCount = 1
        profileBytes = markers.profileBytes
        makesColorTables = markers.hasInks && profileBytes != nil
        coefficientBytes = markers.coefficientBytes
        try limits.check(size)
    }
}
