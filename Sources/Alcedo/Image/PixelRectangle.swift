import Foundation

/// A part of an image, in pixels. Columns count from the left, rows from the top.
public struct PixelRectangle: Sendable, Hashable {
    /// The first column.
    public var x: Int
    /// The first row.
    public var y: Int
    /// Width and height.
    public var size: PixelSize

    /// Creates a rectangle. The values aren't checked; the APIs that take a rectangle define which ones are valid.
    public init(x: Int, y: Int, width: Int, height: Int) {
        self.init(x: x, y: y, size: PixelSize(width: width, height: height))
    }

    /// Creates a rectangle with this size.
    public init(x: Int, y: Int, size: PixelSize) { (self.x, self.y, self.size) = (x, y, size) }

    /// The smallest rectangle, for frames without changes, which still need one.
    static let pixel = PixelRectangle(x: 0, y: 0, size: PixelSize(width: 1, height: 1))

    init(_ columns: Range<Int>, _ rows: Range<Int>) {
        self.init(x: columns.lowerBound, y: rows.lowerBound, size: PixelSize(width: columns.count, height: rows.count))
    }

    var columns: Range<Int> { x..<x + size.width }
    var rows: Range<Int> { y..<y + size.height }

    /// The part of the rectangle that lies within an image; nil if there is none.
    func clipped(to picture: PixelSize) -> PixelRectangle? {
        guard size.width > 0, size.height > 0, x < picture.width, y < picture.height else { return nil }
        let (right, bottom) = (x.addingReportingOverflow(size.width), y.addingReportingOverflow(size.height))
        let columns = max(0, x)..<max(0, right.overflow ? .max : right.partialValue, 0)
        let rows = max(0, y)..<max(0, bottom.overflow ? .max : bottom.partialValue, 0)
        let part = PixelRectangle(
            columns.clamped(to: 0..<picture.width), rows.clamped(to: 0..<picture.height))
        return part.size.width > 0 && part.size.height > 0 ? part : nil
    }

    /// The smallest rectangle that contains both.
    func union(_ other: PixelRectangle?) -> PixelRectangle {
        guard let other else { return self }
        return PixelRectangle(
            min(x, other.x)..<max(columns.upperBound, other.columns.upperBound),
            min(y, other.y)..<max(rows.upperBound, other.rows.upperBound))
    }

    /// The rectangle, extended to begin at even coordinates.
    var fromEvenPlace: PixelRectangle {
        PixelRectangle(x & ~1..<columns.upperBound, y & ~1..<rows.upperBound)
    }

    /// The smallest rectangle with all pixels for which `isIn` is true, given their index in rows of `size.width`; nil
    /// when there are none.
    ///
    /// Tests no more pixels than necessary.
    static func bounds(_ size: PixelSize, _ isIn: (Int) -> Bool) -> PixelRectangle? {
        func has(_ row: Int, _ columns: Range<Int>) -> Bool {
            columns.contains { isIn(row * size.width + $0) }
        }
        let all = 0..<size.width
        guard let top = (0..<size.height).first(where: { has($0, all) }),
            let bottom = (top..<size.height).last(where: { has($0, all) })
        else { return nil }
        var (left, right) = (size.width, -1)
        for row in top...bottom {
            let start = row * size.width
            if let first = (0..<left).first(where: { isIn(start + $0) }) { left = first }
            if let last = (right + 1..<size.width).last(where: { isIn(start + $0) }) { right = last }
        }
        return PixelRectangle(left..<right + 1, top..<bottom + 1)
    }
}

extension PixelRectangle: CustomStringConvertible {
    /// The rectangle as text, such as "640 × 480 at (10, 20)".
    public var description: String { "\(size) at (\(x), \(y))" }
}

extension Bitmap {
    /// The rectangle that differs from `other`, which must have the same size; nil when both are equal.
    func change(from other: Bitmap) -> PixelRectangle? {
        withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                let (one, other) = (one.bindMemory(to: UInt32.self), other.bindMemory(to: UInt32.self))
                return PixelRectangle.bounds(size) { one[$0] != other[$0] }
            }
        }
    }

    /// Returns a part as a separate bitmap. Costs nothing if it is the whole bitmap.
    func part(_ part: PixelRectangle) throws(ImageLoaderError) -> Bitmap {
        if part.size == size { return self }
        return try cropped(DecodeTarget.Plan(size: size, x: part.x, y: part.y, part: part.size), limits: .unlimited)
    }
}
