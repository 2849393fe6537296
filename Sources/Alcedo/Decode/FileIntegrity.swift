import Foundation

/// The usable part of a file, as far as its structure shows without decoding pixels.
///
/// For codecs that show a damaged file as if it were whole.
struct FileIntegrity: Equatable {
    /// The damage to data that the pixels need; nil if there is none.
    private(set) var damage: String?
    /// The number of bytes from the beginning that a codec should see. Shorter than the file if damage follows.
    private(set) var usableBytes: Int
    /// The end that the file lacks although no pixels are missing; empty if it is there.
    private(set) var missingEnd: [UInt8] = []

    private init(damage: String, usableBytes: Int) {
        (self.damage, self.usableBytes) = (damage, usableBytes)
    }

    private init(wholeUpTo count: Int, missingEnd: [UInt8] = []) {
        (usableBytes, self.missingEnd) = (count, missingEnd)
    }

    private static let cut = "ends too early"
}

// MARK: PNG

extension FileIntegrity {
    /// Checks the lengths of all chunks, and the checksums of those that the pixels need (PNG third edition, section
    /// 5.3). Other chunks may be damaged: all readers skip them then.
    ///
    /// A file that ends between two chunks after pixels lacks only its end, as far as can be told without decompressing
    /// the pixels.
    init(png bytes: Span<UInt8>) {
        var (offset, hasPixels) = (8, false)
        while offset < bytes.count {
            let isNeeded = bytes.byte(at: offset + 4).map { $0 & 0x20 == 0 } ?? false
            let isEnd = bytes.has("IEND", at: offset + 4)
            guard let length = bytes.long(at: offset), offset + 12 + length <= bytes.count else {
                // The end and all that isn't needed for the pixels may be missing.
                if hasPixels, !isNeeded || isEnd || bytes.count - offset < 8 { break }
                self.init(damage: Self.cut, usableBytes: bytes.count)
                return
            }
            let content = offset + 8..<offset + 8 + length
            if let damage = Self.damage(ofChunk: content, in: bytes, isNeeded: isNeeded) {
                // Most of the pixels in a damaged chunk may be right.
                let isPixels = bytes.has("IDAT", at: offset + 4)
                self.init(damage: damage, usableBytes: isPixels ? content.upperBound : offset)
                return
            }
            offset = content.upperBound + 4
            if bytes.has("IDAT", at: content.lowerBound - 4) { hasPixels = true }
            if isEnd { break }
        }
        guard hasPixels else {
            self.init(damage: "no pixels", usableBytes: min(offset, bytes.count))
            return
        }
        let isWhole = offset >= 12 && bytes.has("IEND", at: offset - 8)
        self.init(wholeUpTo: offset, missingEnd: isWhole ? [] : Self.endOfPNG)
    }

    private static func damage(ofChunk content: Range<Int>, in bytes: Span<UInt8>, isNeeded: Bool) -> String? {
        let type = content.lowerBound - 4..<content.lowerBound
        guard content.count <= Int(Int32.max), type.allSatisfy({ bytes[$0].isLetter }) else {
            return "a chunk without a type or a length"
        }
        guard isNeeded else { return nil }
        guard ["IHDR", "PLTE", "IDAT", "IEND"].contains(where: { bytes.has($0, at: type.lowerBound) }) else {
            return "an unknown chunk that is needed"
        }
        var checksum = CRC32()
        checksum.add(bytes.extracting(type.lowerBound..<content.upperBound))
        return bytes.long(at: content.upperBound) == Int(checksum.value) ? nil : "a wrong checksum"
    }

    /// An empty chunk of the type IEND.
    private static let endOfPNG: [UInt8] = [0, 0, 0, 0, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82]
}

// MARK: JPEG

extension FileIntegrity {
    /// Looks for the end marker behind the first scan (ITU-T T.81, section B.1.1.3), or else for all pixels.
    ///
    /// - Parameter limits: The limits that the file's header was checked against.
    init(jpeg data: Data, limits: DecodeLimits) {
        let bytes = data.span
        if Self.hasEnd(bytes) {
            self.init(wholeUpTo: bytes.count)
        } else if JPEGScanCheck.hasAllPixels(data, most: limits.jpegScans) {
            self.init(wholeUpTo: bytes.count, missingEnd: [0xFF, 0xD9])
        } else {
            self.init(damage: Self.cut, usableBytes: bytes.count)
        }
    }

    private static func hasEnd(_ bytes: Span<UInt8>) -> Bool {
        // Nearly all files end with it. No other bytes of a file can be the same.
        if bytes.word(at: bytes.count - 2) == 0xFFD9 { return true }
        var (offset, hasPixels) = (2, false)
        while let marker = JPEGMarkers.nextMarker(in: bytes, at: &offset) {
            switch marker {
            case 0xD9 where hasPixels: return true
            case 0xD8, 0xD9, 0x01, 0xD0...0xD7: continue  // markers without a segment
            default:
                guard let length = bytes.word(at: offset) else { return false }
                offset += length
                if marker == 0xDA { hasPixels = true }
            }
        }
        return false
    }
}

// MARK: Chunks and boxes

extension FileIntegrity {
    /// Looks for chunks of pixels, all of which must be complete (RFC 9649, section 2). Metadata may be missing.
    init(webP bytes: Span<UInt8>) {
        let end = min(bytes.count, (bytes.littleLong(at: 4) ?? bytes.count) + 8)
        var (offset, hasPixels) = (12, false)
        while offset < end {
            let isHead = bytes.has("VP8X", at: offset) || bytes.has("ALPH", at: offset)
            let isPixels = ["VP8 ", "VP8L", "ANMF"].contains { bytes.has($0, at: offset) }
            guard let length = bytes.littleLong(at: offset + 4), length <= end - offset - 8 else {
                if isHead || isPixels { hasPixels = false }
                break
            }
            if isPixels { hasPixels = true }
            offset += 8 + length + (length & 1)
        }
        if hasPixels {
            self.init(wholeUpTo: bytes.count)
        } else {
            self.init(damage: Self.cut, usableBytes: bytes.count)
        }
    }

    /// Checks that boxes of pixels and their descriptions are as long as they claim (ISO/IEC 14496-12, section 4.2).
    ///
    /// Bytes of no box, such as those of a JPEG XL without a container, aren't checked.
    init(boxes bytes: Span<UInt8>) {
        let end = MediaBox.boxes(in: bytes, 0..<bytes.count).last?.content.upperBound ?? bytes.count
        let needed: [StaticString] = ["meta", "mdat", "moov", "jxlc", "jxlp"]
        if end < bytes.count, needed.contains(where: { bytes.has($0, at: end + 4) }) {
            self.init(damage: Self.cut, usableBytes: bytes.count)
        } else {
            self.init(wholeUpTo: bytes.count)
        }
    }
}

extension UInt8 {
    fileprivate var isLetter: Bool { (0x41...0x5A).contains(self & 0xDF) }
}
