/// Scales a picture down while its rows arrive one by one, from the top.
///
/// Gives exactly the same result as ``Bitmap/scaled(to:from:dividedBy:limits:)``, for pictures that are never in memory
/// as a whole. While alive, it holds four times the memory of a source row for each target row that a source row
/// contributes to, of which there are at most five.
struct RowScaler {
    private let across: ResamplingWeights
    private let down: ResamplingWeights
    private let bytesPerRow: Int
    /// Target rows that still wait for source rows, from ``firstOpen`` on, and finished rows for reuse.
    private var open: [ResamplingRow] = []
    private var spare: [ResamplingRow] = []
    private var firstOpen = 0
    private var sourceRow = 0
    private let sourceWidth: Int

    /// - Parameter size: no larger than `source` in either dimension.
    init(from source: PixelSize, to size: PixelSize) {
        across = ResamplingWeights(from: source.width, to: size.width)
        down = ResamplingWeights(from: source.height, to: size.height)
        bytesPerRow = size.width * 4
        sourceWidth = source.width
    }

    /// Takes the next source row, premultiplied, and writes the target rows that it completes.
    mutating func add(_ row: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer) {
        var y = firstOpen
        while y < down.count, let weight = weight(of: sourceRow, in: y) {
            if y - firstOpen == open.count { begin() }
            open[y - firstOpen].add(row, weight)
            y += 1
        }
        sourceRow += 1
        while !open.isEmpty, isComplete(firstOpen) {
            open[0].settle(down)
            open[0].write(to: target, at: firstOpen * bytesPerRow, across)
            spare.append(open.removeFirst())
            firstOpen += 1
        }
    }

    private mutating func begin() {
        var next = spare.popLast() ?? ResamplingRow(width: sourceWidth)
        next.begin(down)
        open.append(next)
    }

    /// The weight of source row `row` in target row `y`; nil when `y` begins below it.
    private func weight(of row: Int, in y: Int) -> Int32? {
        down.withWeights(of: y) { first, weights in
            row < first ? nil : row - first < weights.count ? weights[row - first] : 0
        }
    }

    private func isComplete(_ y: Int) -> Bool {
        down.withWeights(of: y) { first, weights in first + weights.count <= sourceRow }
    }
}
