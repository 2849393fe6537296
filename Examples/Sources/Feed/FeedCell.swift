import Alcedo

/// A reusable cell that shows one photo at a time, and plays it if it is animated.
@MainActor final class FeedCell {
    let canvas: any Canvas
    private let slot: ImageSlot
    private let clock: any Clock<Duration>
    private var player: AnimationPlayer?
    private var drawn = 0

    init(_ loader: ImageLoader, _ canvas: any Canvas, clock: any Clock<Duration>) {
        self.canvas = canvas
        self.clock = clock
        var settings = ImageSlot.Settings()
        settings.placeholder = .color(PixelColor(red: 230, green: 230, blue: 230))
        settings.failurePlaceholder = .color(PixelColor(red: 250, green: 200, blue: 200))
        slot = ImageSlot(loader, settings: settings)
        slot.onChange = { [weak self] slot in self?.draw(slot.shown) }
    }

    var error: ImageLoaderError? { slot.phase.error }

    /// Shows another photo; nil empties the cell.
    func show(_ photo: ImageRequest?) { slot.load(photo) }

    func retry() { if error != nil { slot.reload() } }

    private func draw(_ shown: ImageSlot.Shown) {
        // The slot also reports progress, which doesn't change the drawing.
        guard shown.number != drawn else { return }
        drawn = shown.number
        player = nil
        guard let image = shown.picture.image, let animation = image.animation else {
            return canvas.draw(shown.picture.bitmap, fading: shown.isTransition)
        }
        player = AnimationPlayer(animation, firstFrame: image.bitmap, clock: clock) { [canvas] frame in
            canvas.draw(frame.bitmap, fading: false)
        }
    }
}
