#if BMP || canImport(Darwin)
import Foundation

extension BMPRows {
    /// Reads the available rows; the others stay as they are.
    func readAll(
        of data: Data, into pixels: UnsafeMutableRawBufferPointer, bytesPerRow: Int, _ cancellation: DecodeCancellation
    ) throws(ImageLoaderError) {
        let bytes = data.bytes
        try bytes.withUnsafeBytes { (bytes) throws(ImageLoaderError) in
            for y in available {
                if y % Self.band == 0 { try cancellation.check() }
                read(y, of: bytes, into: pixels.row(y, bytesPerRow))
            }
        }
    }

    /// Reads all rows, which must be available, and scales them down.
    func readAll(
        of data: Data, _ size: PixelSize, scaledTo target: PixelSize, into pixels: UnsafeMutableRawBufferPointer,
        _ cancellation: DecodeCancellation
    ) throws(ImageLoaderError) {
        let bytes = data.bytes
        var scaler = RowScaler(from: size, to: target)
        var row = [UInt8](repeating: 0, count: size.width * 4)
        try bytes.withUnsafeBytes { (bytes) throws(ImageLoaderError) in
            for y in 0..<size.height {
                if y % Self.band == 0 { try cancellation.check() }
                row.withUnsafeMutableBytes { row in
                    read(y, of: bytes, into: row)
                    scaler.add(UnsafeRawBufferPointer(row), to: pixels)
                }
            }
        }
    }

    private static let band = 64
}

extension UnsafeMutableRawBufferPointer {
    fileprivate func row(_ y: Int, _ bytesPerRow: Int) -> UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(rebasing: self[y * bytesPerRow..<(y + 1) * bytesPerRow])
    }
}
#endif
