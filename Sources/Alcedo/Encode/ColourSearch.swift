/// Finds the nearest of up to 256 colours, exactly.
///
/// Divides the colour space into cubes with sides of 8. For each cube that is searched, it lists the palette's colours
/// that may be the nearest to any colour in the cube, which leaves few to compare with.
struct ColourSearch {
    private let palette: [SIMD4<Int32>]
    /// By cube: the start of its list, or -1. A list begins with its length minus 1.
    private var starts = [Int32](repeating: -1, count: 1 << 15)
    private var lists: [UInt8] = []

    /// - Parameter palette: 1 to 256 colours in memory order.
    init(_ palette: [UInt32]) { self.palette = palette.map { SIMD4(colour: $0) } }

    /// The index of the nearest colour; each channel of `colour` must be in 0...255.
    mutating func nearest(_ colour: SIMD4<Int32>) -> UInt8 {
        let cube = Int((colour.x >> 3) << 10 | (colour.y >> 3) << 5 | colour.z >> 3)
        if starts[cube] < 0 { makeList(of: cube, (colour &>> 3) &<< 3) }
        let start = Int(starts[cube])
        var (best, least) = (lists[start + 1], Int32.max)
        for place in start + 1...start + 1 + Int(lists[start]) {
            let index = lists[place]
            let difference = colour &- palette[Int(index)]
            let distance = (difference &* difference).wrappedSum()
            if distance < least { (best, least) = (index, distance) }
        }
        return best
    }

    private mutating func makeList(of cube: Int, _ low: SIMD4<Int32>) {
        let high = low &+ SIMD4(7, 7, 7, 0)
        var bound = Int32.max
        for colour in palette {
            // The farthest corner of the cube.
            let far = pointwiseMax(high &- colour, colour &- low)
            bound = min(bound, (far &* far).wrappedSum())
        }
        let start = lists.count
        starts[cube] = Int32(start)
        lists.append(0)
        for (index, colour) in palette.enumerated() {
            let near = pointwiseMax(pointwiseMax(low &- colour, colour &- high), .zero)
            if (near &* near).wrappedSum() <= bound { lists.append(UInt8(index)) }
        }
        lists[start] = UInt8(lists.count - start - 2)
    }
}
