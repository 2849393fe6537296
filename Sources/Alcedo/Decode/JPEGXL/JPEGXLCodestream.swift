#if os(Linux) && JPEGXL
import Foundation

extension Data {
    /// The codestream of a JPEG XL file, as far as it is present: the file itself, or the content of the boxes that
    /// hold it (ISO/IEC 18181-2, sections 9.1 and 9.2).
    var jpegXLCodestream: Data {
        get throws(ImageLoaderError) {
            if starts(with: [0xFF, 0x0A]) { return self }
            var parts: [Range<Int>] = []
            for box in Self.jpegXLBoxes(span) {
                let isWhole = span.has("jxlc", at: box.type)
                // The content begins with the part's number.
                let start = box.content.lowerBound + (isWhole ? 0 : 4)
                guard isWhole || span.has("jxlp", at: box.type), start < box.content.upperBound else { continue }
                parts.append(start..<box.content.upperBound)
                if isWhole { break }
            }
            guard let first = parts.first else { throw .corruptImage(.jxl, reason: "no codestream") }
            // Copies the codestream only if it has several parts.
            return parts.count == 1 ? part(first) : parts.reduce(into: Data()) { $0 += part($1) }
        }
    }

    /// The boxes of a file, including the present part of an incomplete last box.
    private static func jpegXLBoxes(_ bytes: Span<UInt8>) -> [MediaBox] {
        var boxes = MediaBox.boxes(in: bytes, 0..<bytes.count)
        let offset = boxes.last?.content.upperBound ?? 0
        // The value 1 announces a length of eight bytes.
        let head = bytes.long(at: offset) == 1 ? 16 : 8
        if bytes.count - offset > head {
            boxes.append(MediaBox(type: offset + 4, content: offset + head..<bytes.count))
        }
        return boxes
    }
}
#endif
