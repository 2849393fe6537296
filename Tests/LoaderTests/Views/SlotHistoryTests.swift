import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

/// All short histories of a slot, with late events of earlier loads among them: what must hold in each.
@Suite(.ownThreads) struct SlotHistoryTests {
    private enum Event: CaseIterable {
        case begin, beginWithFresh, beginWithStale, reload, reloadWithStale, receive, preview, low, image, failure,
            confirmed, cancel, clear
        case wake, lateImage, lateFailure, latePreview

        var isLate: Bool { [.lateImage, .lateFailure, .latePreview].contains(self) }
    }

    private struct Walk {
        var state = SlotState()
        var now = Duration.zero
        /// Which image the current load would bring.
        var wanted = 1
        var error: String?

        mutating func check(_ condition: Bool, _ words: @autoclosure () -> String) {
            if !condition, error == nil { error = words() }
        }
    }

    private let images: [DecodedImage]
    /// Their smaller versions.
    private let small: [DecodedImage]
    private let preview: ImagePreview

    init() throws {
        images = try (1...12).map { DecodedImage(bitmap: try Pictures.plain($0, 1)) }
        small = try (1...12).map { DecodedImage(bitmap: try Pictures.plain(20 + $0, 1)) }
        preview = ImagePreview(
            bitmap: try Pictures.plain(99, 1), receivedBytes: 1, expectedBytes: nil, coverage: 1, quality: .final)
    }

    @Test(arguments: [Duration.zero, .seconds(2)], [true, false])
    func promisesHold(interval: Duration, keepsCurrent: Bool) {
        var settings = ImageSlot.Settings()
        settings.minimumInterval = interval
        settings.keepsCurrent = keepsCurrent
        settings.placeholder = .color(.black)
        settings.failurePlaceholder = .color(.clear)
        settings.placeholderDelay = interval
        var count = 0
        walk(Walk(), [], settings, depth: 4, &count)
        #expect(count > 60_000)
    }

    private func walk(
        _ walk: Walk, _ history: [Event], _ settings: ImageSlot.Settings, depth: Int, _ count: inout Int
    ) {
        for event in Event.allCases {
            var next = walk
            apply(event, settings, &next)
            count += 1
            if let error = next.error {
                Issue.record("\(error) after \(history + [event]): \(next.state.brief)")
            } else if depth > 1 {
                self.walk(next, history + [event], settings, depth: depth - 1, &count)
            }
        }
    }

    private func apply(_ event: Event, _ settings: ImageSlot.Settings, _ walk: inout Walk) {
        let before = walk.state
        walk.now += .seconds(1)
        let isChanged = change(event, settings, &walk)
        let (after, now) = (walk.state, walk.now)
        walk.check(after.shown.number - before.shown.number <= 1, "two changes at once")
        walk.check(isChanged || after.brief == before.brief, "a change that isn't reported")
        walk.check(!event.isLate || after.brief == before.brief, "a late result has landed")
        if case .loading = after.phase { walk.check(after.isLoading, "a phase of loading without a load") }
        if after.phase.error != nil { walk.check(!after.isLoading, "a failure while loading") }
        if let width = after.shown.picture.image?.size.width, !settings.keepsCurrent {
            let isOwn = [images, small].contains { $0[walk.wanted].size.width == width }
            walk.check(isOwn, "the picture of another request")
        }
        if before.shown.picture.image?.size.width == images[walk.wanted].size.width, event != .clear {
            let stays = after.shown.picture.image?.size.width == images[walk.wanted].size.width
            walk.check(stays && after.shown.number == before.shown.number, "the image is lost, or drawn again")
        }
        if case .loading = after.phase, after.shown.picture.isNone {
            walk.check(after.wakeTime != nil, "no placeholder follows")
        }
        // What is held is shown as soon as it may be.
        if let due = after.wakeTime { walk.check(due > now || event != .wake, "it is time, and nothing happens") }
        if case .success(let response) = after.phase, after.wakeTime == nil {
            walk.check(
                after.shown.picture.image?.size.width == response.image.size.width, "an image that is never shown")
        }
    }

    private func change(_ event: Event, _ settings: ImageSlot.Settings, _ walk: inout Walk) -> Bool {
        let (now, generation) = (walk.now, walk.state.generation)
        func begin(_ cached: ImageResponse?, keepsPicture: Bool = false) -> Bool {
            walk.state.begin(SlotSettings(settings), cached: cached, keepsPicture: keepsPicture, at: now)
            return true
        }
        if [.begin, .beginWithFresh, .beginWithStale].contains(event) { walk.wanted += 1 }
        let image = images[walk.wanted]
        switch event {
        case .begin: return begin(nil)
        case .beginWithFresh: return begin(response(image, from: .memory))
        case .beginWithStale: return begin(response(image, from: .memory, stale: .unconfirmed))
        case .reload: return begin(nil, keepsPicture: true)
        case .reloadWithStale: return begin(response(image, from: .memory, stale: .unconfirmed), keepsPicture: true)
        case .receive: return walk.state.receive(1, of: 2, generation)
        case .preview: return walk.state.preview(preview, generation, at: now)
        case .low:
            var response = response(small[walk.wanted])
            response.isLowResolution = true
            return walk.state.succeed(response, isLast: false, generation, at: now)
        case .image: return walk.state.succeed(response(image), isLast: true, generation, at: now)
        case .failure: return walk.state.end(.emptyBody, generation, at: now)
        case .confirmed: return walk.state.end(nil, generation, at: now)
        case .cancel: return walk.state.cancel()
        case .clear:
            walk.state.clear()
            return true
        case .wake: return walk.state.wake(at: now)
        case .lateImage: return walk.state.succeed(response(images[0]), isLast: true, generation &- 1, at: now)
        case .lateFailure: return walk.state.end(.emptyBody, generation &- 1, at: now)
        case .latePreview: return walk.state.preview(preview, generation &- 1, at: now)
        }
    }

    private func response(
        _ image: DecodedImage, from source: ImageSource = .network, stale: StaleReason? = nil
    ) -> ImageResponse {
        ImageResponse(
            image: image, source: source, staleReason: stale, timings: LoadTimings(), exchange: nil)
    }
}
