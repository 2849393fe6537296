import Foundation

/// Immutable pixels: 8 bits each of red, green, blue and alpha, premultiplied, rows from top to bottom.
///
/// A bitmap owns its memory and is shared, not copied. Create one by filling a ``BitmapBuilder``, which is in the same
/// file because no other code may write the pixels.
public final class Bitmap: Sendable {
    /// Width and height in pixels; both are at least 1.
    public let size: PixelSize

    /// The number of bytes from one row to the next: 4 × width.
    public let bytesPerRow: Int

    /// The memory of the pixels in bytes, which is what a cache counts.
    public var byteCount: Int { bytesPerRow * size.height }

    // Invariant: `byteCount` initialized bytes of `BitmapMemory`, released once, by deinit or by the system's images of
    // them. They are written only through a BitmapBuilder, a non-copyable value that holds the only reference to this
    // object until it hands it out for good.
    fileprivate nonisolated(unsafe) let base: UnsafeMutableRawPointer
    /// The image that Apple's views show.
    let systemImage = SystemImage()

    fileprivate init(adopting base: UnsafeMutableRawPointer, size: PixelSize) {
        self.base = base
        self.size = size
        self.bytesPerRow = size.width * 4
    }

    deinit { systemImage.releasePixels(base, byteCount) }

    /// Calls `body` with all rows, ``bytesPerRow`` apart, each pixel as red, green, blue, alpha. Copies nothing.
    public func withBytes<R, E>(_ body: (RawSpan) throws(E) -> R) throws(E) -> R {
        try withUnsafeBytes { (bytes) throws(E) in try body(bytes.bytes) }
    }

    /// ``withBytes(_:)`` for code that needs a pointer.
    func withUnsafeBytes<R, E>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: base, count: byteCount))
    }

    /// The pixel at column `x` of row `y` as red, green, blue, alpha; both must lie within ``size``.
    ///
    /// Meant for reading a few pixels; use ``withBytes(_:)`` to process all of them.
    public subscript(x: Int, y: Int) -> SIMD4<UInt8> {
        precondition((0..<size.width).contains(x) && (0..<size.height).contains(y), "no pixel at (\(x), \(y))")
        return base.loadUnaligned(fromByteOffset: y * bytesPerRow + x * 4, as: SIMD4<UInt8>.self)
    }
}

extension Bitmap: Equatable {
    /// Whether size and pixels are equal. Compares all bytes unless both are the same object.
    public static func == (one: Bitmap, other: Bitmap) -> Bool {
        one === other || one.size == other.size && memcmp(one.base, other.base, one.byteCount) == 0
    }
}

/// A bitmap under construction: the only owner of memory that is still writable.
///
/// It starts as transparent black, so bytes that are never written show nothing. ``freeze()`` turns it into a
/// ``Bitmap`` without a copy; dropping the builder before that releases its memory.
public struct BitmapBuilder: ~Copyable, Sendable {
    private let bitmap: Bitmap
    /// The number of rows from the top that hold no pixels of an older bitmap.
    private var cleanRows: Int

    /// Width and height in pixels.
    public var size: PixelSize { bitmap.size }

    /// The number of bytes from one row to the next: 4 × width.
    public var bytesPerRow: Int { bitmap.bytesPerRow }

    /// Allocates 4 × width × height zeroed bytes.
    ///
    /// The system provides the pages as they are written. Memory reused from a large bitmap that was dropped shortly
    /// before is zeroed here, which takes about 0.1 ms per megabyte.
    ///
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when `size` exceeds one of `limits` or has a side
    ///   below 1. When the allocation fails, the same error reports the bitmap bytes with 0 allowed.
    public init(size: PixelSize, limits: DecodeLimits = DecodeLimits()) throws(ImageLoaderError) {
        try self.init(size, limits, zeroes: true)
        clean()
    }

    /// Like ``init(size:limits:)``, but doesn't zero memory. For callers that write all rows from the top and
    /// report them with ``wrote(rows:)``.
    ///
    /// The memory may hold another bitmap's pixels; ``freeze()`` zeroes all rows that weren't reported as written.
    init(unwritten size: PixelSize, limits: DecodeLimits) throws(ImageLoaderError) {
        try self.init(size, limits, zeroes: false)
    }

    private init(_ size: PixelSize, _ limits: DecodeLimits, zeroes: Bool) throws(ImageLoaderError) {
        let byteCount = try limits.bitmapBytes(for: size)
        guard let memory = BitmapMemory.take(byteCount, zeroes: zeroes) else {
            throw .limitExceeded(.bitmapBytes, value: byteCount, allowed: 0)
        }
        bitmap = Bitmap(adopting: memory.base, size: size)
        cleanRows = memory.isZeroed ? size.height : 0
    }

    /// Calls `body` with all rows, ``bytesPerRow`` apart, to write pixels of red, green, blue, alpha.
    ///
    /// Colors must be premultiplied: none may be greater than its alpha.
    public mutating func withBytes<R, E>(_ body: (inout MutableRawSpan) throws(E) -> R) throws(E) -> R {
        try withUnsafeMutableBytes { (bytes) throws(E) in
            var bytes = bytes.mutableBytes
            return try body(&bytes)
        }
    }

    /// ``withBytes(_:)`` for code that needs a pointer.
    mutating func withUnsafeMutableBytes<R, E>(_ body: (UnsafeMutableRawBufferPointer) throws(E) -> R) throws(E) -> R {
        try body(UnsafeMutableRawBufferPointer(start: bitmap.base, count: bitmap.byteCount))
    }

    /// Reports that every byte of the first `rows` rows has been written.
    mutating func wrote(rows: Int) { cleanRows = max(cleanRows, min(rows, size.height)) }

    /// Turns the builder into an immutable bitmap without copying.
    public consuming func freeze() -> Bitmap {
        clean()
        return bitmap
    }

    /// Zeroes the rows that may hold an older bitmap's pixels.
    private mutating func clean() {
        guard cleanRows < size.height else { return }
        let start = cleanRows * bytesPerRow
        withUnsafeMutableBytes { bytes in
            _ = UnsafeMutableRawBufferPointer(rebasing: bytes[start...]).initializeMemory(as: UInt8.self, repeating: 0)
        }
        cleanRows = size.height
    }
}
