#if GIF || canImport(Darwin)
/// Paints the indices of one image on a canvas as colors, row by row in the order of the file.
struct GIFPainter {
    /// The number of pixels of the image that haven't been painted yet.
    private(set) var missing: Int
    private let frame: GIFFrame
    private let canvas: PixelSize
    /// The pixels in memory order, by index. 0, which isn't an opaque color, leaves the pixel unchanged.
    private let colors: [UInt32]
    private let leavesSome: Bool
    private var column = 0
    private var row = 0
    private var pass = 0

    init(_ frame: GIFFrame, on canvas: PixelSize, palette bytes: Span<UInt8>) {
        self.frame = frame
        self.canvas = canvas
        missing = frame.size.width * frame.size.height
        var colors = [UInt32](repeating: 0, count: 256)
        let count = 1 << Int(frame.paletteBits)
        for index in 0..<count {
            let place = frame.paletteOffset + index * 3
            guard let red = bytes.byte(at: place), let green = bytes.byte(at: place + 1),
                let blue = bytes.byte(at: place + 2)
            else { break }
            colors[index] = UInt32(littleEndian: UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | 0xFF00_0000)
        }
        if let index = frame.transparentIndex { colors[Int(index)] = 0 }
        leavesSome = colors.contains(0)
        self.colors = colors
    }

    /// Paints the next pixels; any beyond the last one are ignored.
    mutating func paint(_ indices: UnsafeBufferPointer<UInt8>, on pixels: UnsafeMutableBufferPointer<UInt32>) {
        let width = Int(frame.width)
        var done = 0
        while done < indices.count, missing > 0 {
            let count = min(width - column, indices.count - done)
            let (x, y) = (Int(frame.left) + column, Int(frame.top) + row)
            let seen = min(count, canvas.width - x)
            if y < canvas.height, seen > 0 {
                let start = y * canvas.width + x
                let run = UnsafeMutableBufferPointer(rebasing: pixels[start..<start + seen])
                paint(UnsafeBufferPointer(rebasing: indices[done..<done + seen]), asRun: run)
            }
            done += count
            missing -= count
            column += count
            if column == width { goToNextRow() }
        }
    }

    private func paint(_ indices: UnsafeBufferPointer<UInt8>, asRun run: UnsafeMutableBufferPointer<UInt32>) {
        colors.withUnsafeBufferPointer { colors in
            if leavesSome {
                for place in indices.indices {
                    let color = colors[Int(indices[place])]
                    if color != 0 { run[place] = color }
                }
            } else {
                for place in indices.indices { run[place] = colors[Int(indices[place])] }
            }
        }
    }

    /// The rows of an interlaced image arrive in this order: every eighth from 0, every eighth from 4, every fourth
    /// from 2, and every second from 1.
    private mutating func goToNextRow() {
        column = 0
        guard frame.isInterlaced else { return row += 1 }
        row += pass == 0 ? 8 : 16 >> pass
        while row >= frame.height, pass < 3 {
            pass += 1
            row = 8 >> pass
        }
    }
}
#endif
