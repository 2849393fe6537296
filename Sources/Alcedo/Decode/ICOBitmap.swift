#if BMP || canImport(Darwin)
import Foundation

/// An image of an icon that is stored as a bitmap, followed by its mask.
struct ICOBitmap {
    private let bitmap: BMPHeader
    private let data: Data

    init(_ entry: ICODirectory.Entry, in data: Data, _ limits: DecodeLimits) throws(ImageLoaderError) {
        bitmap = try BMPHeader(of: data.span, at: entry.offset, in: .ico, limits: limits)
        self.data = data
    }

    func decode(_ request: DecodeRequest) throws(ImageLoaderError) -> StoredImage {
        let rows = BMPRows(bitmap, of: data.span)
        let hasMask = rows.isOpaque
        let isComplete = rows.available.count == bitmap.size.height && (!hasMask || maskEnd <= data.count)
        guard isComplete || request.damaged == .showWhatIsThere && !rows.available.isEmpty else {
            throw .corruptImage(.ico, reason: "ends too early")
        }
        var builder = try BitmapBuilder(size: bitmap.size, limits: request.limits)
        let bytesPerRow = builder.bytesPerRow
        let isOpaque = try builder.withUnsafeMutableBytes { (pixels) throws(ImageLoaderError) in
            try rows.readAll(of: data, into: pixels, bytesPerRow: bytesPerRow, request.cancellation)
            guard hasMask else { return false }
            return try !mask(pixels.bindMemory(to: UInt32.self), request.cancellation)
        }
        var picture = StoredImage(bitmap: builder.freeze(), isOpaque: isOpaque && isComplete)
        picture.isComplete = isComplete
        return picture
    }

    /// The bytes of a mask row, which has one bit per pixel and is padded to a multiple of four bytes. Mask rows are in
    /// the order of the pixel rows.
    private var maskBytesPerRow: Int { (bitmap.size.width + 31) / 32 * 4 }
    private var maskStart: Int { bitmap.pixelOffset + bitmap.pixelBytes }
    /// The last row needs no padding.
    private var maskEnd: Int { maskStart + maskBytesPerRow * (bitmap.size.height - 1) + (bitmap.size.width + 7) / 8 }

    /// Makes each pixel transparent whose mask bit is set. Returns whether any bit is set.
    private func mask(
        _ pixels: UnsafeMutableBufferPointer<UInt32>, _ cancellation: DecodeCancellation
    ) throws(ImageLoaderError) -> Bool {
        let bytes = data.span
        let (width, height) = (bitmap.size.width, bitmap.size.height)
        var any = false
        for y in 0..<height {
            if y % 64 == 0 { try cancellation.check() }
            let row = maskStart + (bitmap.isTopDown ? y : height - 1 - y) * maskBytesPerRow
            for x in 0..<width {
                // The mask of a damaged icon may end early.
                guard let byte = bytes.byte(at: row + x / 8), byte << UInt8(x % 8) & 0x80 != 0 else { continue }
                pixels[y * width + x] = 0
                any = true
            }
        }
        return any
    }
}
#endif
