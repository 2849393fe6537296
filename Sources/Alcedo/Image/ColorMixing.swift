/// A matrix that mixes three colors from three others.
struct ColorMixing: Sendable {
    let rows: [SIMD3<Double>]
    private let columns: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>)

    init(rows: [SIMD3<Double>]) {
        self.rows = rows
        let columns = (0..<3).map { column in SIMD3<Float>(SIMD3(rows[0][column], rows[1][column], rows[2][column])) }
        self.columns = (columns[0], columns[1], columns[2])
    }

    /// Creates the matrix from light in these primaries to CIE XYZ. Equal parts of all three are the white of a screen,
    /// D65.
    init(toXYZ primaries: ColorDescription.Primaries) {
        let points = [primaries.red, primaries.green, primaries.blue].map(\.tristimulus)
        let unscaled = ColorMixing(
            rows: (0..<3).map { row in SIMD3(points[0][row], points[1][row], points[2][row]) })
        let parts = unscaled.inverse.rows.map { ($0 * ColorDescription.Primaries.bt709.white.tristimulus).sum() }
        self.init(rows: unscaled.rows.map { $0 * SIMD3(parts[0], parts[1], parts[2]) })
    }

    func mix(_ color: SIMD3<Float>) -> SIMD3<Float> {
        columns.0 * color.x + columns.1 * color.y + columns.2 * color.z
    }

    static func * (last: ColorMixing, first: ColorMixing) -> ColorMixing {
        ColorMixing(
            rows: last.rows.map { first.rows[0] * $0.x + first.rows[1] * $0.y + first.rows[2] * $0.z })
    }

    /// The inverse matrix, which must exist.
    var inverse: ColorMixing {
        let cofactors = [rows[1].cross(rows[2]), rows[2].cross(rows[0]), rows[0].cross(rows[1])]
        let determinant = (rows[0] * cofactors[0]).sum()
        return ColorMixing(
            rows: (0..<3).map { SIMD3(cofactors[0][$0], cofactors[1][$0], cofactors[2][$0]) / determinant })
    }
}

extension SIMD3<Double> {
    fileprivate func cross(_ other: Self) -> Self {
        Self(y * other.z - z * other.y, z * other.x - x * other.z, x * other.y - y * other.x)
    }
}

extension ColorDescription.Chromaticity {
    /// The color in CIE XYZ, with a Y of 1.
    fileprivate var tristimulus: SIMD3<Double> { SIMD3(x / y, 1, (1 - x - y) / y) }
}
