extension PixelSize {
    /// The largest size with the same aspect ratio that fits within `room`, no larger than this size unless upscaling
    /// is allowed.
    ///
    /// Each side is rounded to the nearest pixel and at least 1. Sides below 1, in either size, count as 1.
    func fitting(within room: PixelSize, _ allowsUpscaling: Bool = false) -> PixelSize {
        let (own, room) = (atLeastOne, room.atLeastOne)
        guard allowsUpscaling || own.width > room.width || own.height > room.height else { return own }
        return own.isWider(than: room) ? own.scaled(width: room.width) : own.scaled(height: room.height)
    }

    /// The smallest size with the same aspect ratio that covers `room`, no larger than this size unless upscaling is
    /// allowed.
    func filling(_ room: PixelSize, _ allowsUpscaling: Bool = false) -> PixelSize {
        let (own, room) = (atLeastOne, room.atLeastOne)
        guard allowsUpscaling || own.width > room.width && own.height > room.height else { return own }
        return own.isWider(than: room) ? own.scaled(height: room.height) : own.scaled(width: room.width)
    }

    var atLeastOne: PixelSize { PixelSize(width: max(1, width), height: max(1, height)) }

    private func isWider(than other: PixelSize) -> Bool {
        Double(other.width) / Double(width) <= Double(other.height) / Double(height)
    }

    private func scaled(width: Int) -> PixelSize {
        PixelSize(width: width, height: Self.scaled(height, width, self.width))
    }

    private func scaled(height: Int) -> PixelSize {
        PixelSize(width: Self.scaled(width, height, self.height), height: height)
    }

    /// `side` × `numerator` ÷ `denominator`, rounded to the nearest integer and at least 1.
    private static func scaled(_ side: Int, _ numerator: Int, _ denominator: Int) -> Int {
        let exact = (Double(side) * Double(numerator) / Double(denominator)).rounded()
        return exact < Double(Int.max) ? max(1, Int(exact)) : .max
    }
}
