#if GIF || canImport(Darwin)
/// A part of a frame, converted to palette indices.
struct GIFImage {
    private let picture: [UInt32]
    private let shown: [UInt32]
    private let part: PixelRectangle
    private let width: Int
    private(set) var palette = GIFPalette([])
    /// Whether the image uses the file's palette.
    var usesShared = false
    /// Whether any pixel is left unchanged.
    private var keepsPixels = false
    /// Whether the canvas has transparent pixels outside this image, or this image is cleared after it was shown.
    private let leavesHoles: Bool
    /// The index of pixels that are left as they were, and that are transparent if the image is cleared; nil if it
    /// isn't needed.
    var transparentIndex: UInt8? { needsTransparency ? palette.transparentIndex : nil }
    private var needsTransparency: Bool { keepsPixels || leavesHoles }
    private(set) var indices: [UInt8] = []

    /// - Parameters:
    ///   - picture: the complete frame to show; a color or 0 for each pixel.
    ///   - shown: what is visible before this image is drawn. Wherever `picture` is transparent, so is this.
    ///   - width: the width of both, in pixels.
    ///   - leavesHoles: whether viewers need a transparent index to show uncovered or cleared pixels as transparent.
    init(_ picture: [UInt32], over shown: [UInt32], _ part: PixelRectangle, width: Int, leavesHoles: Bool) {
        (self.picture, self.shown, self.part, self.width) = (picture, shown, part, width)
        self.leavesHoles = leavesHoles
    }

    /// Chooses the palette and computes the indices.
    ///
    /// Unchanged pixels are left as they were, unless that would sacrifice the exact colors of the others: the index
    /// that leaves a pixel unchanged is one of the 256.
    mutating func choosePalette(_ shared: GIFPalette?, dithers: Bool) {
        keepsPixels = part.rows.contains { row in
            places(row).contains { picture[$0] == shown[$0] }
        }
        if let shared, let table = table(of: shared) { return take(shared, table, isShared: true) }
        if let table = exactTable(ofAll: false), table.all.count < 256 || !needsTransparency {
            return take(GIFPalette(table.all), table)
        }
        if keepsPixels, !leavesHoles, !hasHoles, let table = exactTable(ofAll: true) {
            keepsPixels = false
            return take(GIFPalette(table.all), table)
        }
        quantize(dithers: dithers)
    }

    private func places(_ row: Int) -> Range<Int> {
        row * width + part.x..<row * width + part.columns.upperBound
    }

    /// Whether the part has transparent pixels.
    private var hasHoles: Bool { part.rows.contains { row in places(row).contains { picture[$0] == 0 } } }

    /// Returns nil when the palette lacks a color.
    private func table(of shared: GIFPalette) -> ColorTable? {
        if needsTransparency, shared.transparentIndex == nil { return nil }
        var table = ColorTable()
        for color in shared.colors where !table.add(color) { return nil }
        for row in part.rows {
            for place in places(row) where picture[place] != shown[place] {
                if table.place(of: picture[place]) == nil { return nil }
            }
        }
        return table
    }

    /// A table of the colors of all pixels, or only of those that changed; nil when there are too many.
    private func exactTable(ofAll: Bool) -> ColorTable? {
        var table = ColorTable()
        var last: UInt32 = 0
        for row in part.rows {
            for place in places(row) where picture[place] != last && (ofAll || picture[place] != shown[place]) {
                last = picture[place]
                if !table.add(last) { return nil }
            }
        }
        return table
    }

    private mutating func take(_ palette: GIFPalette, _ table: ColorTable, isShared: Bool = false) {
        self.palette = palette
        usesShared = isShared
        let (transparent, first) = (palette.transparentIndex ?? 0, palette.firstIndex)
        indices.reserveCapacity(part.size.width * part.size.height)
        for row in part.rows {
            for place in places(row) {
                let isLeft = keepsPixels && picture[place] == shown[place]
                let color = isLeft ? nil : table.place(of: picture[place])
                indices.append(color.map { $0 + first } ?? transparent)
            }
        }
    }

    private mutating func quantize(dithers: Bool) {
        var histogram = ColorHistogram()
        for row in part.rows {
            for place in places(row) where !keepsPixels || picture[place] != shown[place] {
                histogram.add(picture[place])
            }
        }
        palette = GIFPalette(histogram.palette(of: needsTransparency ? 255 : 256))
        let (transparent, first) = (palette.transparentIndex ?? 0, palette.firstIndex)
        var search = ColorSearch(palette.colors)
        var dithering = ErrorDiffusion(width: part.size.width)
        indices.reserveCapacity(part.size.width * part.size.height)
        for row in part.rows {
            for place in places(row) {
                if keepsPixels, picture[place] == shown[place] {
                    indices.append(transparent)
                } else if dithers {
                    let wanted = dithering.wanted(picture[place], at: place - row * width - part.x)
                    let nearest = search.nearest(wanted)
                    dithering.spread(wanted, palette.colors[Int(nearest)], from: place - row * width - part.x)
                    indices.append(nearest + first)
                } else {
                    indices.append(search.nearest(SIMD4(color: picture[place])) + first)
                }
            }
            dithering.goToNextRow()
        }
    }
}
#endif
