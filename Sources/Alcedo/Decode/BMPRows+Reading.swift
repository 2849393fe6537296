#if BMP || canImport(Darwin)
import Foundation

extension BMPRows {
    /// Reads the available rows and leaves the others unchanged.
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

    /// Reads a part of the rows, which must be available, and scales it down.
    ///
    /// - Parameter width: The width of a row, in pixels.
    func read(
        _ part: PixelRectangle, of data: Data, _ width: Int, scaledTo target: PixelSize,
        into pixels: UnsafeMutableRawBufferPointer, _ cancellation: DecodeCancellation
    ) throws(ImageLoaderError) {
        let bytes = data.bytes
        var scaler = RowScaler(from: part.size, to: target)
        var row = [UInt8](repeating: 0, count: width * 4)
        try bytes.withUnsafeBytes { (bytes) throws(ImageLoaderError) in
            for y in part.rows {
                if y % Self.band == 0 { try cancellation.check() }
                row.withUnsafeMutableBytes { row in
                    read(y, of: bytes, into: row)
                    let columns = row[part.x * 4..<part.columns.upperBound * 4]
                    scaler.add(UnsafeRawBufferPointer(rebasing: columns), to: pixels)
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
