public import Alcedo
public import Foundation

/// The model of a feed of photos: cells for the visible rows, and prefetching of the photos that come next.
@MainActor public final class Feed {
    private let photos: [ImageRequest]
    private let prefetcher: ImagePrefetcher
    private let makeCell: () -> FeedCell
    private var cells: [Int: FeedCell] = [:]
    private var unused: [FeedCell] = []
    private var visible = 0..<0

    /// Creates a feed that shows nothing until it is scrolled. `makeCanvas` is called for each new cell.
    public init(
        _ urls: [URL], size: PixelSize, loader: ImageLoader, clock: any Clock<Duration> = ContinuousClock(),
        makeCanvas: @escaping () -> any Canvas
    ) {
        photos = urls.map { url in
            var photo = ImageRequest(url: url)
            photo.targetSize = size
            return photo
        }
        prefetcher = ImagePrefetcher(loader)
        makeCell = { FeedCell(loader, makeCanvas(), clock: clock) }
    }

    /// Shows the rows in `visible`, and prefetches the photos that come next in the direction of scrolling.
    public func scroll(to visible: Range<Int>) {
        let goesUp = visible.lowerBound < self.visible.lowerBound
        self.visible = visible
        for (row, cell) in cells where !visible.contains(row) {
            cell.show(nil)
            cells[row] = nil
            unused.append(cell)
        }
        for row in visible where cells[row] == nil {
            let cell = unused.popLast() ?? makeCell()
            cells[row] = cell
            cell.show(photos[row])
        }
        let before = photos[..<visible.lowerBound].suffix(12), after = photos[visible.upperBound...].prefix(12)
        // This comes after the cells have joined their loads, because it cancels prefetching loads without a cell.
        prefetcher.update(to: goesUp ? before.reversed() : Array(after))
    }

    /// Retries a photo that couldn't be loaded, when the user taps its row.
    public func retry(_ row: Int) { cells[row]?.retry() }

    /// The canvas of a visible row.
    public func canvas(_ row: Int) -> (any Canvas)? { cells[row]?.canvas }

    /// The reason why a visible row has no photo.
    public func error(_ row: Int) -> ImageLoaderError? { cells[row]?.error }
}
