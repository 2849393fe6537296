extension PixelSize {
    /// The largest size of the same shape that lies within `target` and is no larger than this one: each side to the
    /// nearest pixel and at least 1. Sides below 1, here or there, count as 1.
    func fitting(within target: PixelSize) -> PixelSize {
        let (width, height) = (max(1, width), max(1, height))
        let (mostWide, mostHigh) = (max(1, target.width), max(1, target.height))
        guard width > mostWide || height > mostHigh else { return PixelSize(width: width, height: height) }
        let scale = (across: Double(mostWide) / Double(width), down: Double(mostHigh) / Double(height))
        return scale.across <= scale.down
            ? PixelSize(width: mostWide, height: Self.scaled(height, mostWide, width, most: mostHigh))
            : PixelSize(width: Self.scaled(width, mostHigh, height, most: mostWide), height: mostHigh)
    }

    /// `side` × `numerator` ÷ `denominator` to the nearest, from 1 to `most`.
    private static func scaled(_ side: Int, _ numerator: Int, _ denominator: Int, most: Int) -> Int {
        let exact = (Double(side) * Double(numerator) / Double(denominator)).rounded()
        return exact < Double(most) ? max(1, Int(exact)) : most
    }
}
