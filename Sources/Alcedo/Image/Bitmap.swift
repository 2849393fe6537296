import Foundation

/// Pixels that no one can change: 8 bits each of red, green, blue and alpha, colour premultiplied, rows from the top.
///
/// A bitmap owns its memory and is shared, not copied. It is made by filling a ``BitmapBuilder``, which stands in this
/// file because nothing else may write.
public final class Bitmap: Sendable {
    /// Width and height in pixels; both are at least 1.
    public let size: PixelSize

    /// Bytes from one row to the next: 4 × width.
    public let bytesPerRow: Int

    /// Memory of the pixels in bytes: what a cache counts.
    public var byteCount: Int { bytesPerRow * size.height }

    // Invariant: `byteCount` initialized bytes of `BitmapMemory`, given back once, by deinit. They are written only
    // through a BitmapBuilder, a non-copyable value that holds the one reference to this object until it gives it away
    // for good.
    private nonisolated(unsafe) let base: UnsafeMutableRawPointer

    fileprivate init(adopting base: UnsafeMutableRawPointer, size: PixelSize) {
        self.base = base
        self.size = size
        self.bytesPerRow = size.width * 4
    }

    deinit { BitmapMemory.giveBack(base, byteCount) }

    /// Calls `body` with all rows, ``bytesPerRow`` apart, each pixel as red, green, blue, alpha. Copies nothing.
    public func withBytes<R, E>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: base, count: byteCount).bytes)
    }

    /// For the one ``BitmapBuilder`` that still owns this bitmap alone.
    fileprivate func withMutableBytes<R, E>(_ body: (inout MutableRawSpan) throws(E) -> R) throws(E) -> R {
        var bytes = UnsafeMutableRawBufferPointer(start: base, count: byteCount).mutableBytes
        return try body(&bytes)
    }

    /// The pixel at column `x` of row `y` as red, green, blue, alpha; both must lie within ``size``.
    ///
    /// Meant for a look at a few pixels; ``withBytes(_:)`` is the way to all of them.
    public subscript(x: Int, y: Int) -> SIMD4<UInt8> {
        precondition((0..<size.width).contains(x) && (0..<size.height).contains(y), "no pixel at (\(x), \(y))")
        return base.loadUnaligned(fromByteOffset: y * bytesPerRow + x * 4, as: SIMD4<UInt8>.self)
    }
}

extension Bitmap: Equatable {
    /// Whether size and pixels are the same; compares all bytes of two different objects.
    public static func == (one: Bitmap, other: Bitmap) -> Bool {
        one === other || one.size == other.size && memcmp(one.base, other.base, one.byteCount) == 0
    }
}

/// A bitmap in the making: the one owner of memory that can still be written.
///
/// It starts as transparent black, so bytes that nobody writes show nothing. ``freeze()`` turns it into a ``Bitmap``
/// without a copy; one that is dropped before gives its memory back.
public struct BitmapBuilder: ~Copyable, Sendable {
    private let bitmap: Bitmap
    /// Rows from the top that hold nothing of an older picture's.
    private var cleanRows: Int

    /// Width and height in pixels.
    public var size: PixelSize { bitmap.size }

    /// Bytes from one row to the next: 4 × width.
    public var bytesPerRow: Int { bitmap.bytesPerRow }

    /// Takes 4 × width × height zeroed bytes. The system hands them out as they are written; those of a large bitmap
    /// that was dropped just before are zeroed here, some 0.1 ms per megabyte.
    ///
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when `size` breaks one of `limits` or has a side
    ///   below 1, and with an allowance of 0 bitmap bytes when the system has not as many to give.
    public init(size: PixelSize, limits: DecodeLimits = DecodeLimits()) throws(ImageLoaderError) {
        try self.init(unwritten: size, limits: limits)
        clean()
    }

    /// Like ``init(size:limits:)``, for who writes all rows from the top and says so with ``wrote(rows:)``: memory that
    /// is taken again is not zeroed before. It holds pixels of another picture's, of which ``freeze()`` lets none
    /// through.
    init(unwritten size: PixelSize, limits: DecodeLimits) throws(ImageLoaderError) {
        let byteCount = try limits.bitmapBytes(for: size)
        guard let memory = BitmapMemory.take(byteCount) else {
            throw .limitExceeded(.bitmapBytes, value: byteCount, allowed: 0)
        }
        bitmap = Bitmap(adopting: memory.base, size: size)
        cleanRows = memory.isZeroed ? size.height : 0
    }

    /// Calls `body` with all rows, ``bytesPerRow`` apart, to write pixels of red, green, blue, alpha; the colours are
    /// to be premultiplied, none greater than its alpha.
    public mutating func withBytes<R, E>(_ body: (inout MutableRawSpan) throws(E) -> R) throws(E) -> R {
        try bitmap.withMutableBytes(body)
    }

    /// So many rows from the top have been written, every byte of them.
    mutating func wrote(rows: Int) {
        cleanRows = max(cleanRows, min(rows, size.height))
    }

    /// Gives the pixels away, unchangeable from here on. Costs nothing.
    public consuming func freeze() -> Bitmap {
        clean()
        return bitmap
    }

    /// Zeroes the rows that may hold an older picture's pixels.
    private mutating func clean() {
        guard cleanRows < size.height else { return }
        let start = cleanRows * bytesPerRow
        bitmap.withMutableBytes { bytes in
            bytes.withUnsafeMutableBytes { bytes in
                _ = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
                    .initializeMemory(as: UInt8.self, repeating: 0)
            }
        }
        cleanRows = size.height
    }
}
