/// The images shown by a terminal with kitty's protocol.
struct KittyPictures {
    /// An image to show.
    struct Wanted {
        /// A value that changes with the pixels.
        var version: [Int]
        var cells: CellRectangle
        var raster: Raster
        /// Whether the pixels will stay for a while.
        var isStill: Bool
    }

    private struct Placed {
        var id: Int
        var version: [Int]
        var cells: CellRectangle
    }

    /// The placed images, by the number of their tile.
    private var placed: [Int: Placed] = [:]
    private var lastID = KittyGraphics.queryID

    /// Returns the output that makes the terminal show exactly these images, by the number of their tile.
    ///
    /// A new image is shown before the one that it replaces is deleted, so nothing flickers.
    mutating func show(_ wanted: [Int: Wanted]) -> String {
        var output = ""
        for (tile, old) in placed.sorted(by: { $0.key < $1.key }) where wanted[tile] == nil {
            output += KittyGraphics.delete(id: old.id)
            placed[tile] = nil
        }
        for (tile, next) in wanted.sorted(by: { $0.key < $1.key }) {
            let old = placed[tile]
            if let old, old.version == next.version {
                if old.cells == next.cells { continue }
                output += KittyGraphics.place(id: old.id, in: next.cells)
                placed[tile]?.cells = next.cells
                continue
            }
            lastID += 1
            output += KittyGraphics.transmit(next.raster, isStill: next.isStill, id: lastID)
            output += KittyGraphics.place(id: lastID, in: next.cells)
            if let old { output += KittyGraphics.delete(id: old.id) }
            placed[tile] = Placed(id: lastID, version: next.version, cells: next.cells)
        }
        return output
    }

    /// Deletes all images from the screen and forgets them.
    mutating func clear() -> String {
        placed = [:]
        return KittyGraphics.deleteAll
    }
}
