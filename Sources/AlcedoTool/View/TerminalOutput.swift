import Alcedo
import Foundation

/// Draws frames on a terminal by sending the changes since the previous frame.
@MainActor final class TerminalOutput {
    /// The content of the screen.
    struct Frame {
        var cells: ScreenBuffer
        /// The images drawn by the terminal itself, by the number of their tile.
        var images: [Int: KittyPictures.Wanted] = [:]

        init(size: TerminalSize, hasColors: Bool) { cells = ScreenBuffer(size, hasColors: hasColors) }
    }

    private let descriptor: Int32
    private let canUseKitty: Bool
    /// Whether cells may have colors. Images that the terminal draws itself always have theirs.
    let hasColors: Bool
    private(set) var isKitty = false
    private var shown: ScreenBuffer?
    private var pictures = KittyPictures()

    init(_ descriptor: Int32, _ graphics: ViewOptions.Graphics, hasColors: Bool = true) {
        self.hasColors = hasColors
        self.descriptor = descriptor
        canUseKitty = graphics != .blocks
        if graphics == .kitty { _ = useKitty() }
    }

    var size: TerminalSize { TerminalSize(of: descriptor) }

    /// Asks the terminal whether it can draw images.
    func queryGraphics() {
        if canUseKitty, !isKitty { RawTerminal.write(KittyGraphics.query) }
    }

    /// Uses kitty's protocol from now on.
    ///
    /// - Returns: Whether it wasn't in use before.
    func useKitty() -> Bool {
        guard canUseKitty, !isKitty else { return false }
        isKitty = true
        RawTerminal.onLeaving(KittyGraphics.deleteAll)
        forget()
        return true
    }

    /// Forgets the previous frame, because the content of the screen is unknown now.
    func forget() { shown = nil }

    /// The size of a place in pixels.
    func pixels(of place: CellRectangle) -> PixelSize {
        let cell = cell
        return PixelSize(width: place.width * cell.width, height: place.height * cell.height)
    }

    /// The size of a cell in pixels. Without graphics, a cell has two pixels, one above the other.
    private var cell: PixelSize {
        guard isKitty else { return PixelSize(width: 1, height: 2) }
        return PixelSize(ofCellOf: descriptor) ?? PixelSize(width: 10, height: 20)
    }

    /// Draws a tile's image in the middle of a place.
    func draw(_ tile: Tile, in place: CellRectangle, on frame: inout Frame) {
        guard isKitty, tile.hasPicture else {
            let size = PixelSize(width: place.width, height: place.height * 2)
            guard let (_, raster) = tile.raster(in: size, checker: 2) else { return }
            return frame.cells.draw(raster, in: place)
        }
        let (cell, box) = (cell, pixels(of: place))
        guard let (version, raster) = tile.raster(in: box, checker: 8) else { return }
        let width = min(place.width, max(1, (raster.width + cell.width / 2) / cell.width))
        let height = min(place.height, max(1, (raster.height + cell.height / 2) / cell.height))
        let cells = CellRectangle(
            column: place.column + (place.width - width) / 2, row: place.row + (place.height - height) / 2,
            width: width, height: height)
        frame.images[tile.number] = KittyPictures.Wanted(
            version: version, cells: cells, raster: raster, isStill: tile.isStill)
    }

    func show(_ frame: Frame) {
        var output = ""
        if shown == nil, isKitty { output += pictures.clear() }
        output += frame.cells.changes(from: shown)
        if isKitty { output += pictures.show(frame.images) }
        shown = frame.cells
        if output.isEmpty { return }
        // Terminals that know these sequences update the screen in one step.
        RawTerminal.write("\u{1B}[?2026h" + output + "\u{1B}[?2026l")
    }
}

extension PixelSize {
    /// The size of a cell; nil if the terminal doesn't report it.
    fileprivate init?(ofCellOf descriptor: Int32) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
        guard size.ws_xpixel >= size.ws_col, size.ws_ypixel >= size.ws_row else { return nil }
        self.init(width: Int(size.ws_xpixel / size.ws_col), height: Int(size.ws_ypixel / size.ws_row))
    }
}
