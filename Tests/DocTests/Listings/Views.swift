import Alcedo
import Foundation

/// The listings about views, one function or type for each.
@MainActor enum Views {
    protocol Canvas {
        @MainActor func draw(_ bitmap: Bitmap?, fading: Bool)
    }

    static func slot(_ url: URL, with loader: ImageLoader, on canvas: any Canvas) {
        func draw(_ bitmap: Bitmap?) { canvas.draw(bitmap, fading: false) }
        // region: slot
        let slot = ImageSlot(loader)
        slot.onChange = { slot in draw(slot.shown.picture.bitmap) }
        slot.load(url)  // again for each new picture: a reused cell needs nothing else
        // endregion
    }

    static func settings(_ url: URL, _ hash: Data, with loader: ImageLoader) {
        // region: slot-settings
        var settings = ImageSlot.Settings()
        settings.placeholder = .color(PixelColor(red: 230, green: 230, blue: 230))
        settings.placeholderDelay = .milliseconds(200)
        settings.showsPreviews = true
        settings.showsStale = true
        let slot = ImageSlot(loader, settings: settings)
        slot.load(url, placeholder: .thumbHash(hash))
        // endregion
    }

    static func player(_ animation: AnimatedImage, draw: @escaping @MainActor (Bitmap) -> Void) -> AnimationPlayer {
        // region: player
        let player = AnimationPlayer(animation) { frame in draw(frame.bitmap) }
        // endregion
        return player
    }

    static func settled(
        _ url: URL, in slot: ImageSlot, save: (DecodedImage) -> Void, log: (String) -> Void
    ) async {
        // region: slot-settled
        slot.load(url)
        switch await slot.settled() {
        case .success(let response): save(response.image)
        case .failure(let error): log("\(error)")
        default: break  // cancelled, or emptied
        }
        // endregion
    }

    static func playerOfAResponse(_ response: ImageResponse, on screen: Screen) -> AnimationPlayer? {
        var player: AnimationPlayer?
        let canvas = screen
        // region: player-of-response
        if let animation = response.image.animation {
            player = AnimationPlayer(animation, firstFrame: response.image.bitmap) { frame in
                canvas.draw(frame.bitmap, fading: false)
            }
        }
        // endregion
        return player
    }
}

@MainActor final class Screen {
    func draw(_ bitmap: Bitmap?, fading: Bool) {}
}

@MainActor let canvas = Screen()

// region: slot-cell
@MainActor final class Cell {
    private let slot: ImageSlot
    private var drawn = 0
    private var player: AnimationPlayer?

    init(_ loader: ImageLoader) {
        slot = ImageSlot(loader)
        slot.onChange = { [weak self] slot in self?.draw(slot.shown) }
    }

    func show(_ url: URL) { slot.load(url) }

    private func draw(_ shown: ImageSlot.Shown) {
        guard shown.number != drawn else { return }
        drawn = shown.number
        canvas.draw(shown.picture.bitmap, fading: shown.isTransition)
        player = shown.picture.image?.animation.map { animation in
            AnimationPlayer(
                animation, firstFrame: shown.picture.bitmap,
                budget: slot.loader.frameBudget
            ) { frame in
                canvas.draw(frame.bitmap, fading: false)
            }
        }
    }
}
// endregion
