/// An estimate of the attention that each column and row of an image attracts: by edges and colors that are stronger
/// than the image's mean, and by skin.
struct AttentionMap {
    private var columns: [Int]
    private var rows: [Int]

    /// The longest side of the analyzed image, in pixels.
    private static let longestSide = 128

    init(of picture: Bitmap) throws(ImageLoaderError) {
        let room = PixelSize(width: Self.longestSide, height: Self.longestSide)
        self.init(small: try picture.scaled(to: picture.size.fitting(within: room), limits: .unlimited))
    }

    private init(small picture: Bitmap) {
        let (width, height) = (picture.size.width, picture.size.height)
        let pixels = (0..<width * height).map { Pixel(picture[$0 % width, $0 / width]) }
        let edges = pixels.indices.map { index in
            let (x, y) = (index % width, index / width)
            let around =
                pixels[y * width + max(0, x - 1)].light + pixels[y * width + min(width - 1, x + 1)].light
                + pixels[max(0, y - 1) * width + x].light + pixels[min(height - 1, y + 1) * width + x].light
            return abs(4 * pixels[index].light - around)
        }
        let meanEdge = edges.reduce(0, +) / pixels.count
        let meanColor = pixels.reduce(0) { $0 + $1.color } / pixels.count
        (columns, rows) = ([Int](repeating: 0, count: width), [Int](repeating: 0, count: height))
        for (index, pixel) in pixels.enumerated() {
            let value =
                3 * max(0, edges[index] - meanEdge - Self.noise) + max(0, pixel.color - meanColor - Self.noise)
                + (pixel.isSkin ? Self.skin : 0)
            columns[index % width] += value
            rows[index / width] += value
        }
    }

    /// The largest difference that is too small to be seen, of 255.
    private static let noise = 8
    /// The weight of a pixel of skin.
    private static let skin = 100

    /// The first column and row of the part with the most attention.
    func place(_ part: PixelSize, in whole: PixelSize) -> (x: Int, y: Int) {
        (Self.first(part.width, whole.width, columns), Self.first(part.height, whole.height, rows))
    }

    /// The start of the window with the largest sum; among equal ones, the one nearest to the middle. Values in the
    /// middle of the window count twice as much as those at its ends.
    private static func first(_ part: Int, _ whole: Int, _ values: [Int]) -> Int {
        let window = max(1, (part * values.count + whole / 2) / whole)
        let last = values.count - window
        guard last > 0, values.contains(where: { $0 > 0 }) else { return (whole - part) / 2 }
        var best = (sum: -1, distance: 0, start: 0)
        for start in 0...last {
            let sum = (0..<window).reduce(0) { sum, index in
                sum + values[start + index] * (window + 2 * min(index, window - 1 - index))
            }
            let distance = abs(2 * start - last)
            if sum > best.sum || sum == best.sum && distance < best.distance { best = (sum, distance, start) }
        }
        return ((whole - part) * best.start + last / 2) / last
    }

    private struct Pixel {
        /// The luma of ITU-R BT.601, from 0 to 255.
        let light: Int
        /// The distance from gray, from 0 to 255; 0 for nearly black or white pixels.
        let color: Int
        /// Whether the pixel may show skin, by a rule for daylight (Kovač, Peer, Solina, "Human skin color clustering
        /// for face detection", 2003).
        let isSkin: Bool

        /// Takes a premultiplied pixel as drawn on black.
        init(_ pixel: SIMD4<UInt8>) {
            let (red, green, blue) = (Int(pixel.x), Int(pixel.y), Int(pixel.z))
            light = (77 * red + 150 * green + 29 * blue) >> 8
            let (most, least) = (max(red, green, blue), min(red, green, blue))
            color = (16...240).contains(light) ? most - least : 0
            isSkin =
                red > 95 && green > 40 && blue > 20 && most - least > 15 && red - green > 15 && red > blue
        }
    }
}
