/// Finds the nearest of up to 256 colors, exactly.
///
/// Divides the color space into cubes with sides of 8. For each cube that is searched, it lists the palette's colors
/// that may be the nearest to any color in the cube, which leaves few to compare with.
struct ColorSearch {
    private let palette: [SIMD4<Int32>]
    /// For each cube, the start of its list, or -1. A list begins with its length minus 1.
    private var starts = [Int32](repeating: -1, count: 1 << 15)
    private var lists: [UInt8] = []

    /// - Parameter palette: 1 to 256 colors in memory order.
    init(_ palette: [UInt32]) { self.palette = palette.map { SIMD4(color: $0) } }

    /// The index of the nearest color; each channel of `color` must be in 0...255.
    mutating func nearest(_ color: SIMD4<Int32>) -> UInt8 {
        let cube = Int((color.x >> 3) << 10 | (color.y >> 3) << 5 | color.z >> 3)
        if starts[cube] < 0 { makeList(of: cube, (color &>> 3) &<< 3) }
        let start = Int(starts[cube])
        var (best, least) = (lists[start + 1], Int32.max)
        for place in start + 1...start + 1 + Int(lists[start]) {
            let index = lists[place]
            let difference = color &- palette[Int(index)]
            let distance = (difference &* difference).wrappedSum()
            if distance < least { (best, least) = (index, distance) }
        }
        return best
    }

    private mutating func makeList(of cube: Int, _ low: SIMD4<Int32>) {
        let high = low &+ SIMD4(7, 7, 7, 0)
        var bound = Int32.max
        for color in palette {
            // The farthest corner of the cube.
            let far = pointwiseMax(high &- color, color &- low)
            bound = min(bound, (far &* far).wrappedSum())
        }
        let start = lists.count
        starts[cube] = Int32(start)
        lists.append(0)
        for (index, color) in palette.enumerated() {
            let near = pointwiseMax(pointwiseMax(low &- color, color &- high), .zero)
            if (near &* near).wrappedSum() <= bound { lists.append(UInt8(index)) }
        }
        lists[start] = UInt8(lists.count - start - 2)
    }
}
