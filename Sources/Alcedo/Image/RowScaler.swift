/// Scales an image down while its rows arrive one by one, from the top.
///
/// Gives exactly the same result as ``Bitmap/scaled(to:from:dividedBy:limits:)``, for images that are never in memory
/// as a whole. While alive, it holds at most the memory of ``mostRows`` source rows and two more.
struct RowScaler {
    private let across: ResamplingWeights
    private let down: ResamplingWeights
    private let bytesPerRow: Int
    private let sourceBytesPerRow: Int
    private var row: ResamplingRow
    /// The target row that is completed next.
    private var y = 0
    private var sourceRow = 0
    /// The source rows that arrived last, each at its number modulo ``latestCount``; empty if target rows need more
    /// than ``mostRows``.
    private var latest: [UInt8] = []
    /// The number of rows in ``latest``.
    private let latestCount: Int
    /// The sums of unfinished target rows, from ``y`` on, if each one needs many source rows.
    private var open: [[Int32]] = []
    private var spare: [[Int32]] = []

    /// The most source rows that are kept. If a target row needs more of them, each is added when it arrives.
    static let mostRows = 24

    /// - Parameters:
    ///   - size: The target size, no larger than `source` in either dimension.
    ///   - whole: The size of which `source` is a reduction by `denominator`; nil if it is none.
    init(from source: PixelSize, to size: PixelSize, of whole: PixelSize? = nil, dividedBy denominator: Int = 1) {
        across = ResamplingWeights(
            from: source.width, to: size.width, of: whole?.width, dividedBy: denominator)
        down = ResamplingWeights(
            from: source.height, to: size.height, of: whole?.height, dividedBy: denominator)
        bytesPerRow = size.width * 4
        sourceBytesPerRow = source.width * 4
        row = ResamplingRow(width: source.width)
        latestCount = down.mostWeights
        if latestCount <= Self.mostRows {
            latest = Array(repeating: 0, count: latestCount * sourceBytesPerRow)
        }
    }

    /// Takes the next source row, premultiplied, and writes the target rows that it completes.
    mutating func add(_ pixels: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer) {
        if latest.isEmpty { addToSums(pixels) } else { keep(pixels) }
        sourceRow += 1
        while y < down.count, isComplete(y) {
            if latest.isEmpty { takeSums() } else { takeLatest() }
            row.write(to: target, at: y * bytesPerRow, across)
            y += 1
        }
    }

    private func isComplete(_ y: Int) -> Bool {
        down.withWeights(of: y) { first, weights in first + weights.count <= sourceRow }
    }

    // MARK: Few rows

    private mutating func keep(_ pixels: UnsafeRawBufferPointer) {
        let start = sourceRow % latestCount * sourceBytesPerRow
        latest.withUnsafeMutableBytes {
            UnsafeMutableRawBufferPointer(rebasing: $0[start..<start + sourceBytesPerRow]).copyMemory(from: pixels)
        }
    }

    private mutating func takeLatest() {
        latest.withUnsafeBufferPointer { latest in
            guard let base = latest.baseAddress else { return }
            row.gather(y, down) { base + $0 % latestCount * sourceBytesPerRow }
        }
    }

    // MARK: Many rows

    private mutating func addToSums(_ pixels: UnsafeRawBufferPointer) {
        var next = y
        while next < down.count, let weight = weight(of: sourceRow, in: next) {
            if next - y == open.count { open.append(spare.popLast() ?? Array(repeating: 0, count: sourceBytesPerRow)) }
            Self.add(pixels, Int32(weight), &open[next - y])
            next += 1
        }
    }

    /// A separate loop, so that the compiler vectorizes it.
    private static func add(_ pixels: UnsafeRawBufferPointer, _ weight: Int32, _ sums: inout [Int32]) {
        sums.withUnsafeMutableBufferPointer { sums in
            guard let bytes = pixels.baseAddress?.assumingMemoryBound(to: UInt8.self), let target = sums.baseAddress
            else { return }
            for index in 0..<sums.count { target[index] &+= Int32(bytes[index]) &* weight }
        }
    }

    /// The weight of source row `row` in target row `y`; nil when row `y` begins below that source row.
    private func weight(of row: Int, in y: Int) -> Int16? {
        down.withWeights(of: y) { first, weights in
            row < first ? nil : row - first < weights.count ? weights[row - first] : 0
        }
    }

    private mutating func takeSums() {
        row.take(&open[0], down)
        spare.append(open.removeFirst())
    }
}
