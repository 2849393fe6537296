import Alcedo

/// The place of an image on the screen: a slot that loads it, and a player if it is animated.
///
/// Tiles are reused for other images when the user scrolls, like the cells of a list.
@MainActor final class Tile {
    /// A number that is different for each tile.
    let number: Int
    let slot: ImageSlot
    /// The index of the tile's image; nil while it has none.
    private(set) var index: Int?
    private var player: AnimationPlayer?
    private var played: AnimatedImage?
    /// The animation frame that the player shows.
    private var frame: (bitmap: Bitmap, number: Int)?
    private var drawn: (version: [Int], raster: Raster)?
    /// The ThumbHashes of the loaded images, by index.
    private let hashes: PictureHashes
    /// The clock that times animation frames.
    private let clock: any Clock<Duration>
    /// Called when there may be something new to draw.
    var onChange: (@MainActor () -> Void)?

    init(
        _ number: Int, _ loader: ImageLoader, _ hashes: PictureHashes, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.number = number
        self.hashes = hashes
        self.clock = clock
        var settings = ImageSlot.Settings()
        let color = TileText.background
        settings.placeholder = .color(PixelColor(red: color.red, green: color.green, blue: color.blue))
        settings.showsPreviews = true
        settings.showsStale = true
        slot = ImageSlot(loader, settings: settings)
        slot.onChange = { [weak self] _ in self?.update() }
    }

    /// Whether the animation, if there is one, is paused.
    var isPaused = false {
        didSet { player?.isPaused = isPaused }
    }

    /// Shows an image. If only the size has changed, the old image stays until the new one is loaded. A failed load
    /// isn't repeated, because this is called for all images in sight after every key.
    ///
    /// - Parameter preview: A smaller version of the image, if there is one.
    func show(_ index: Int, _ request: ImageRequest, preview: DecodedImage? = nil) {
        slot.settings.keepsCurrent = index == self.index
        self.index = index
        slot.isVisible = true
        player?.isVisible = true
        if slot.request == request, slot.error != nil { return }
        let placeholder = preview.map { Placeholder.image($0) } ?? hashes[index].map { .thumbHash($0) }
        slot.load(request, placeholder: placeholder)
    }

    /// Cancels the load and stops the animation while the tile is out of sight.
    func hide() {
        slot.isVisible = false
        player?.isVisible = false
        if slot.isLoading { slot.cancel() }
    }

    func clear() {
        index = nil
        slot.load(nil)
    }

    private func update() {
        if let index, let image = slot.phase.response?.image { hashes.add(image, at: index) }
        let animation = slot.shown.picture.image?.animation
        if animation !== played {
            (player, frame, played) = (nil, nil, animation)
            player = animation.map { animation in
                AnimationPlayer(
                    animation, firstFrame: slot.shown.picture.bitmap, budget: slot.loader.frameBudget, clock: clock
                ) { [weak self] in self?.show($0) }
            }
            player?.isPaused = isPaused
            player?.isVisible = slot.isVisible
        }
        onChange?()
    }

    private func show(_ frame: AnimationPlayer.Frame) {
        self.frame = (frame.bitmap, (self.frame?.number ?? 0) + 1)
        onChange?()
    }

    // MARK: Pixels

    /// Whether the image or a preview of it is shown, and not only a placeholder.
    var hasPicture: Bool {
        switch slot.shown.picture {
        case .none, .placeholder: false
        case .preview, .image: true
        }
    }

    /// The size of the original image, as soon as a version that knows it is shown.
    var originalSize: PixelSize? {
        switch slot.shown.picture {
        case .image(let image), .placeholder(.image(let image)): image.originalSize
        default: nil
        }
    }

    /// Whether the pixels will stay for a while, because they are those of a loaded image that isn't animated.
    var isStill: Bool { player == nil && slot.shown.picture.image != nil }

    /// A value that changes with the pixels to show in a box.
    private func version(in box: PixelSize) -> [Int] {
        [index ?? -1, slot.shown.number, frame?.number ?? 0, box.width, box.height]
    }

    /// The pixels to show in a box of this size; nil if there are none.
    func raster(in box: PixelSize, checker: Int) -> (version: [Int], raster: Raster)? {
        let version = version(in: box)
        if let drawn, drawn.version == version { return drawn }
        drawn = makeRaster(box, checker).map { (version, $0) }
        return drawn
    }

    private func makeRaster(_ box: PixelSize, _ checker: Int) -> Raster? {
        let plain = Raster.Backdrop.plain(TileText.background)
        let picture = slot.shown.picture
        switch picture {
        case .none: return nil
        case .placeholder(.image(let image)): return raster(of: image, image.bitmap, box, .checker(checker))
        case .placeholder:
            return picture.bitmap.map { Raster($0, width: box.width, height: box.height, over: plain) }
        case .preview(let preview):
            let size = preview.bitmap.size.fitted(into: box)
            return Raster(preview.bitmap, width: size.width, height: size.height, over: plain)
        case .image(let image): return raster(of: image, frame?.bitmap ?? image.bitmap, box, .checker(checker))
        }
    }

    /// Draws an image in the proportions of the original, because the loaded one may be smaller until the screen's size
    /// has been loaded. An enlarged part fills the box.
    private func raster(
        of image: DecodedImage, _ bitmap: Bitmap, _ box: PixelSize, _ backdrop: Raster.Backdrop
    ) -> Raster {
        let size = slot.request?.region.map { $0.size.filled(into: box) } ?? image.originalSize.fitted(into: box)
        return Raster(bitmap, width: size.width, height: size.height, over: backdrop)
    }
}

extension PixelSize {
    /// The largest size with the same proportions that fits into a box and isn't larger than this one.
    func fitted(into box: PixelSize) -> PixelSize { scaled(into: box, atMost: 1) }

    /// The largest size with the same proportions that fits into a box.
    fileprivate func filled(into box: PixelSize) -> PixelSize { scaled(into: box, atMost: .infinity) }

    private func scaled(into box: PixelSize, atMost most: Double) -> PixelSize {
        let factor = min(most, Double(box.width) / Double(width), Double(box.height) / Double(height))
        func side(_ length: Int) -> Int { max(1, Int((Double(length) * factor).rounded())) }
        return PixelSize(width: side(width), height: side(height))
    }
}
