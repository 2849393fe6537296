import Alcedo
import Foundation

/// Shows images on a terminal: loads the images in sight, prefetches the next ones, cancels loads of images that have
/// left the screen, and draws changes.
@MainActor final class PictureScreen {
    private let items: [ViewItem]
    private let loader: ImageLoader
    private let prefetcher: ImagePrefetcher
    private let output: TerminalOutput
    private let hashes = PictureHashes()
    private let clock: any Clock<Duration>
    private var model: ViewModel
    private var keys = KeyParser()
    /// A tile for each image of the grid that is in sight, or was before a single image was opened.
    private(set) var tiles: [Tile] = []
    /// The tile for the single image.
    let single: Tile
    private var lastNumber = 0
    private var isBinding = false
    private let changes: AsyncStream<Void>
    private let changed: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - items: The images, at least one.
    ///   - clock: Times the frames of animations.
    init(
        _ items: [ViewItem], columns: Int?, _ loader: ImageLoader, _ output: TerminalOutput,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.items = items
        self.loader = loader
        self.output = output
        self.clock = clock
        prefetcher = ImagePrefetcher(loader)
        model = ViewModel(count: items.count, size: output.size, columns: columns)
        let (changes, changed) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        (self.changes, self.changed) = (changes, changed)
        single = Tile(0, loader, hashes, clock: clock)
        single.onChange = { [weak self] in self?.tileChanged() }
    }

    /// Shows the images until the user quits or the calling Task is cancelled.
    func run(_ events: TerminalEvents) async {
        async let drawing: Void = draw()
        bind()
        for await event in events.stream {
            if !handle(event) { break }
        }
        changed.finish()
        await drawing
        for tile in tiles + [single] { tile.clear() }
        prefetcher.stopAll()
    }

    // MARK: Events

    /// - Returns: Whether to continue.
    private func handle(_ event: TerminalEvents.Event) -> Bool {
        switch event {
        case .typed(let bytes): return take(keys.parse(bytes))
        case .pause: return take(keys.flush())
        case .ended: return false
        case .resized, .resumed:
            output.forget()
            model.resize(output.size)
            bind()
            return true
        }
    }

    private func take(_ inputs: [TerminalInput]) -> Bool {
        for input in inputs {
            switch input {
            case .key(let key):
                switch model.press(key) {
                case .nothing: break
                case .update: bind()
                case .reload: tile(of: model.selection)?.slot.reload()
                case .quit: return false
                }
            case .graphics(let id, let isGood):
                if id == KittyGraphics.queryID, isGood, output.useKitty() { bind() }
            case .attributes: break
            }
        }
        return true
    }

    // MARK: Loads

    /// Gives each image in sight a tile, and cancels the loads of all others.
    private func bind() {
        isBinding = true
        if model.mode == .single { bindSingle() } else { bindGrid() }
        for tile in tiles + [single] { tile.isPaused = model.isPaused }
        isBinding = false
        // The images in sight aren't on the list anymore. If they were being prefetched, their tiles have joined the
        // loads.
        steerPrefetching(to: model.upcoming.compactMap { request($0) })
        changed.yield()
    }

    private func tileChanged() {
        // While tiles are being bound, the list to prefetch is still that of the previous page.
        if !isBinding { steerPrefetching() }
        changed.yield()
    }

    /// Starts or pauses prefetching. It is paused while most images in sight are still loading, because it could take
    /// slots from downloads that haven't begun.
    ///
    /// - Parameter next: The images to prefetch from now on; nil to leave the list unchanged.
    private func steerPrefetching(to next: [ImageRequest]? = nil) {
        let shown = model.visible.compactMap { tile(of: $0) }
        let mayPrefetch = shown.count(where: { $0.slot.isLoading }) * 2 <= shown.count
        if !mayPrefetch { prefetcher.pause() }
        // The list changes after pausing and before resuming, so that no load begins that must wait or is no longer
        // wanted.
        if let next { prefetcher.update(to: next) }
        if mayPrefetch { prefetcher.resume() }
    }

    private func bindSingle() {
        for tile in tiles { tile.hide() }
        guard let request = request(model.selection) else { return single.clear() }
        let small = tiles.first { $0.index == model.selection }?.slot.phase.response?.image
        single.show(model.selection, request, preview: small)
    }

    private func bindGrid() {
        single.clear()
        let visible = model.visible
        var free = tiles.filter { tile in tile.index.map { !visible.contains($0) } ?? true }
        // Images that have left the screen make room for new ones.
        for tile in free { tile.hide() }
        for index in visible {
            guard let request = request(index) else { continue }
            let tile = tiles.first { $0.index == index } ?? free.popLast() ?? makeTile()
            tile.show(index, request)
        }
        for tile in free { tile.clear() }
        tiles.removeAll { $0.index == nil }
    }

    private func makeTile() -> Tile {
        lastNumber += 1
        let tile = Tile(lastNumber, loader, hashes, clock: clock)
        tile.onChange = { [weak self] in self?.tileChanged() }
        tiles.append(tile)
        return tile
    }

    /// The request for an image in the size of its place; nil if the image can't be requested.
    private func request(_ index: Int) -> ImageRequest? {
        guard case .success(var request) = items[index].request else { return nil }
        let place = model.mode == .single ? model.layout.tile(0) : model.layout.picture(0)
        request.targetSize = output.pixels(of: place)
        if model.mode == .single, index == model.selection, index == single.index {
            request.region = single.originalSize.flatMap { model.zoom.region(of: $0) }
        }
        request.convertsToSRGB = true
        return request
    }

    private func tile(of index: Int) -> Tile? {
        model.mode == .single ? single : tiles.first { $0.index == index }
    }

    // MARK: Drawing

    private func draw() async {
        // Draws after each change, but no more often than a screen can show.
        for await _ in changes {
            output.show(frame())
            do {
                try await Task.sleep(for: .milliseconds(33))
            } catch {
                return
            }
        }
    }

    private func frame() -> TerminalOutput.Frame {
        var frame = TerminalOutput.Frame(size: model.size, hasColors: output.hasColors)
        for (position, index) in model.visible.enumerated() { drawTile(position, index, on: &frame) }
        drawStatus(on: &frame)
        return frame
    }

    private func drawTile(_ position: Int, _ index: Int, on frame: inout TerminalOutput.Frame) {
        let (layout, tile) = (model.layout, tile(of: index))
        let place = model.mode == .single ? layout.tile(position) : layout.picture(position)
        if let tile { output.draw(tile, in: place, on: &frame) }
        if let error = error(of: index, tile) { TileText.draw(error: ErrorText.of(error), in: place, on: &frame.cells) }
        guard model.mode == .grid else { return }
        TileText.draw(
            caption: items[index].name, progress: tile?.slot.phase.progressText, isSelected: index == model.selection,
            in: layout.tile(position), on: &frame.cells)
    }

    private func error(of index: Int, _ tile: Tile?) -> ImageLoaderError? {
        if case .failure(let error) = items[index].request { return error }
        return tile?.slot.phase.error
    }

    private func drawStatus(on frame: inout TerminalOutput.Frame) {
        let index = model.selection
        var details = "not loaded"
        if case .failure(let error) = items[index].request {
            details = StatusLine.details(of: error)
        } else if let tile = tile(of: index) {
            details = StatusLine.details(of: tile.slot, at: Date())
        }
        var status = StatusLine(number: index + 1, count: items.count, name: items[index].name, details: details)
        if model.zoom.isZoomed { status.notes.append("\(1 << model.zoom.steps)×") }
        if model.isPaused { status.notes.append("paused") }
        if output.isKitty { status.notes.append("kitty") }
        let width = model.size.columns
        let text = model.showsHelp ? " " + StatusLine.help : status.text(width: width)
        frame.cells.fill(
            text, row: model.size.rows - 1, column: 0, width: width, style: ScreenBuffer.Style(isInverse: true))
    }
}

extension ImageSlot.Phase {
    /// The progress of a load, in a few characters; nil if no load is running.
    fileprivate var progressText: String? {
        guard case .loading(let loading) = self else { return nil }
        if let fraction = loading.fraction { return "\(Int(fraction * 100)) %" }
        return loading.receivedBytes > 0 ? ByteText.of(loading.receivedBytes) : "…"
    }
}
