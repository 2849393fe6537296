import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

/// What a slot shows, without a loader, a clock or a view.
@Suite struct SlotStateTests {
    private let image: DecodedImage
    private let other: DecodedImage
    private let red = Placeholder.color(PixelColor(red: 255, green: 0, blue: 0))

    init() throws {
        image = DecodedImage(bitmap: try Pictures.plain(2, 1))
        other = DecodedImage(bitmap: try Pictures.plain(3, 1))
    }

    private func response(
        _ image: DecodedImage, from source: ImageSource = .network, stale: StaleReason? = nil
    ) -> ImageResponse {
        ImageResponse(
            image: image, source: source, staleReason: stale, timings: LoadTimings(), exchange: nil)
    }

    private func preview() throws -> ImagePreview {
        ImagePreview(
            bitmap: try Pictures.plain(5, 1), receivedBytes: 5, expectedBytes: 10, coverage: 0.5,
            quality: .coarse(pass: 1))
    }

    // What a function of the state has returned. A macro can't call one that mutates.
    private func isChanged(_ isChanged: Bool) -> Bool { isChanged }
    private func isUnchanged(_ isChanged: Bool) -> Bool { !isChanged }

    private func begun(
        _ change: (inout ImageSlot.Settings) -> Void = { _ in }, placeholder: Placeholder? = nil,
        cached: ImageResponse? = nil, after state: SlotState = SlotState(), keepsPicture: Bool = false,
        at now: Duration = .zero
    ) -> SlotState {
        var (state, settings) = (state, ImageSlot.Settings())
        change(&settings)
        state.begin(
            SlotSettings(settings), placeholder: placeholder, cached: cached, keepsPicture: keepsPicture, at: now)
        return state
    }

    @Test func endedLoads_areCounted_unlessCancelled() throws {
        #expect(begun(cached: response(image, from: .memory)).endedLoads == 1)
        let stale = response(image, from: .memory, stale: .whileRevalidating)
        var state = begun { $0.showsStale = true }
        #expect(isChanged(state.succeed(stale, isLast: false, state.generation, at: .zero)))
        #expect(state.endedLoads == 0)
        var cancelled = state
        #expect(isChanged(cancelled.cancel()) && cancelled.phase.response != nil)
        #expect(cancelled.endedLoads == 0)
        var closed = state
        #expect(isChanged(closed.end(.cancelled, closed.generation, at: .zero)) && closed.endedLoads == 0)
        var failed = state
        #expect(isChanged(failed.end(.badStatus(503), failed.generation, at: .zero)) && failed.endedLoads == 1)
        #expect(isChanged(state.succeed(response(other), isLast: true, state.generation, at: .zero)))
        #expect(state.endedLoads == 1)
        #expect(isUnchanged(state.cancel()) && state.endedLoads == 1)
        #expect(begun(after: state).endedLoads == 1)
    }

    @Test func imageInMemory_isThereAtOnce_withoutPhaseOfLoading() {
        let state = begun(placeholder: red, cached: response(image, from: .memory))
        #expect(state.brief == "success 2 | image 2" && !state.isLoading && state.shown.number == 1)
    }

    @Test func placeholder_isShown_untilTheImageIsThere() {
        var state = begun(placeholder: red)
        #expect(state.brief == "loading 0 | placeholder")
        #expect(isChanged(state.receive(5, of: 20, state.generation)))
        #expect(state.brief == "loading 5/20 | placeholder" && state.shown.number == 1)
        #expect(isChanged(state.succeed(response(image), isLast: true, state.generation, at: .zero)))
        #expect(state.brief == "success 2 | image 2 fading" && !state.isLoading)
    }

    @Test func delayedPlaceholder_isShownOnlyIfTheImageIsStillMissing() {
        var slow = begun({ $0.placeholderDelay = .seconds(2) }, placeholder: red, at: .seconds(10))
        #expect(slow.brief == "loading 0 | none" && slow.wakeTime == .seconds(12))
        #expect(isUnchanged(slow.wake(at: .seconds(11))))
        #expect(isChanged(slow.wake(at: .seconds(12))))
        #expect(slow.brief == "loading 0 | placeholder" && slow.wakeTime == nil)

        var fast = begun({ $0.placeholderDelay = .seconds(2) }, placeholder: red)
        _ = fast.succeed(response(image), isLast: true, fast.generation, at: .seconds(1))
        #expect(fast.wakeTime == nil)
        #expect(isUnchanged(fast.wake(at: .seconds(2))))
        #expect(fast.brief == "success 2 | image 2 fading")
    }

    @Test func placeholder_comes_ifNothingWasShownBefore() {
        var cancelled = begun({ $0.placeholderDelay = .seconds(3) }, placeholder: red)
        _ = cancelled.cancel()
        var again = begun(
            { $0.placeholderDelay = .seconds(3) }, placeholder: red, after: cancelled, keepsPicture: true,
            at: .seconds(1))
        #expect(again.brief == "loading 0 | none" && again.wakeTime == .seconds(4))
        #expect(isChanged(again.wake(at: .seconds(4))))
        #expect(again.brief == "loading 0 | placeholder")
        var failed = begun()
        _ = failed.end(.emptyBody, failed.generation, at: .zero)
        #expect(begun(placeholder: red, after: failed, keepsPicture: true).brief == "loading 0 | placeholder")
    }

    @Test func endlessDelay_showsThePlaceholderAfterAFailureOnly() {
        var state = begun({ $0.placeholderDelay = .seconds(Int64.max) }, placeholder: red, at: .seconds(1_000_000))
        _ = state.end(.badStatus(500), state.generation, at: .seconds(1_000_001))
        #expect(state.brief == "badStatus | placeholder")
    }

    @Test func failure_showsItsPictureOrThePlaceholder() {
        var plain = begun(placeholder: red)
        _ = plain.end(.badStatus(404), plain.generation, at: .zero)
        #expect(plain.brief == "badStatus | placeholder" && plain.shown.number == 2)
        var own = begun({ $0.failurePlaceholder = .image(other) }, placeholder: red)
        _ = own.end(.badStatus(404), own.generation, at: .zero)
        #expect(own.brief == "badStatus | placeholder 3")
        var bare = begun()
        _ = bare.end(.badStatus(404), bare.generation, at: .zero)
        #expect(bare.brief == "badStatus | none")
    }

    @Test func cancellationByOthers_isNoFailure() {
        var state = begun(placeholder: red)
        #expect(isChanged(state.end(.cancelled, state.generation, at: .zero)))
        #expect(state.brief == "empty | placeholder" && !state.isLoading)
    }

    @Test func currentPicture_isKept_untilTheNextIsThere() {
        let first = begun(cached: response(image, from: .memory))
        var kept = begun({ $0.keepsCurrent = true }, placeholder: red, after: first)
        #expect(kept.brief == "loading 0 | image 2" && kept.shown.number == 1)
        _ = kept.succeed(response(other), isLast: true, kept.generation, at: .zero)
        #expect(kept.brief == "success 3 | image 3 fading")
        let replaced = begun(placeholder: red, after: first)
        #expect(replaced.brief == "loading 0 | placeholder")
        // A picture that is kept isn't replaced by that of a failure either.
        var failed = begun({ $0.keepsCurrent = true }, placeholder: red, after: first)
        _ = failed.end(.emptyBody, failed.generation, at: .zero)
        #expect(failed.brief == "emptyBody | image 2")
    }

    /// The view would show the picture of another request for good.
    @Test func keptImage_isReplacedByThePlaceholderOfAFailure_ifThereIsOne() {
        func settings(_ settings: inout ImageSlot.Settings) {
            settings.keepsCurrent = true
            settings.failurePlaceholder = .color(.clear)
        }
        let first = begun(cached: response(image, from: .memory))
        var state = begun(settings, placeholder: red, after: first)
        _ = state.end(.emptyBody, state.generation, at: .zero)
        #expect(state.brief == "emptyBody | placeholder")
        // The same after a second try of the same request.
        state = begun({ $0.keepsCurrent = true }, after: first)
        _ = state.end(.emptyBody, state.generation, at: .zero)
        #expect(state.brief == "emptyBody | image 2")
        state = begun(settings, after: state, keepsPicture: true)
        _ = state.end(.emptyBody, state.generation, at: .zero)
        #expect(state.brief == "emptyBody | placeholder")
        // A picture of the same request stays.
        state = begun(settings, after: first, keepsPicture: true)
        _ = state.end(.emptyBody, state.generation, at: .zero)
        #expect(state.brief == "emptyBody | image 2")
    }

    @Test func placeholderOfBefore_isNotKept() {
        let first = begun(placeholder: red)
        #expect(begun({ $0.keepsCurrent = true }, after: first).brief == "loading 0 | none")
    }

    @Test func preview_isShown_andProgressStays() throws {
        var state = begun(placeholder: red)
        _ = state.receive(5, of: 10, state.generation)
        #expect(isChanged(state.preview(try preview(), state.generation, at: .zero)))
        #expect(state.brief == "loading 5/10 preview | preview 5")
        _ = state.succeed(response(image), isLast: true, state.generation, at: .zero)
        #expect(isUnchanged(state.preview(try preview(), state.generation, at: .zero)))
        #expect(state.brief == "success 2 | image 2 fading")
    }

    @Test func preview_isDrawnOverTheImageOfAnotherRequestOnly() throws {
        let first = begun(cached: response(image, from: .memory))
        var again = begun({ $0.failurePlaceholder = red }, after: first, keepsPicture: true)
        #expect(isChanged(again.preview(try preview(), again.generation, at: .zero)))
        #expect(again.brief == "loading 0 preview | image 2" && again.shown.number == 1)
        _ = again.end(.emptyBody, again.generation, at: .zero)
        #expect(again.brief == "emptyBody | image 2")
        var other = begun({ $0.keepsCurrent = true }, after: first)
        _ = other.preview(try preview(), other.generation, at: .zero)
        #expect(other.brief == "loading 0 preview | preview 5")
    }

    @Test func staleImage_isShown_untilTheFreshOneIsThere() {
        var state = begun(cached: response(image, from: .memory, stale: .unconfirmed))
        #expect(state.brief == "success 2 stale | image 2" && state.isLoading)
        _ = state.receive(1, of: nil, state.generation)
        #expect(state.brief == "success 2 stale | image 2")
        var failed = state
        #expect(isChanged(failed.end(.badStatus(503), failed.generation, at: .zero)))
        #expect(failed.brief == "success 2 stale | image 2" && !failed.isLoading)
        _ = state.succeed(response(other), isLast: true, state.generation, at: .zero)
        #expect(state.brief == "success 3 | image 3 fading" && !state.isLoading)
    }

    @Test func confirmedImage_isNotDrawnAgain() {
        var state = begun(cached: response(image, from: .memory, stale: .unconfirmed))
        _ = state.succeed(response(image, from: .memory), isLast: true, state.generation, at: .zero)
        #expect(state.brief == "success 2 | image 2" && state.shown.number == 1)
    }

    @Test func cachedImage_isNotDrawnAgainForTheSameRequest() {
        func always(_ settings: inout ImageSlot.Settings) { settings.transition = .always }
        let first = begun(cached: response(image, from: .memory))
        let stale = response(image, from: .memory, stale: .unconfirmed)
        let again = begun(always, cached: stale, after: first, keepsPicture: true)
        #expect(again.brief == "success 2 stale | image 2" && again.shown.number == 1 && again.isLoading)
        let changed = begun(always, cached: response(other, from: .memory), after: first, keepsPicture: true)
        #expect(changed.brief == "success 3 | image 3 fading" && changed.shown.number == 2)
    }

    /// The view may have been cleared for the new request.
    @Test func imageOfAnotherRequest_isDrawnAgain_evenIfItIsTheSame() {
        let cached = response(image, from: .memory)
        let first = begun(cached: cached)
        #expect(begun(cached: cached, after: first).shown.number == 2)
        let kept = begun({ $0.keepsCurrent = true }, after: first)
        #expect(kept.brief == "loading 0 | image 2" && kept.shown.number == 1)
        var loaded = kept
        _ = loaded.succeed(response(image), isLast: true, loaded.generation, at: .zero)
        #expect(loaded.brief == "success 2 | image 2 fading" && loaded.shown.number == 2)
        var failed = kept
        _ = failed.end(.emptyBody, failed.generation, at: .zero)
        #expect(begun(cached: cached, after: failed, keepsPicture: true).shown.number == 2)
    }

    @Test func minimumInterval_holdsChanges_andSkipsThoseBetween() throws {
        var state = begun({ $0.minimumInterval = .seconds(1) }, placeholder: red, at: .seconds(10))
        _ = state.preview(try preview(), state.generation, at: .seconds(10.2))
        #expect(state.brief == "loading 0 preview | placeholder" && state.wakeTime == .seconds(11))
        _ = state.succeed(response(image), isLast: true, state.generation, at: .seconds(10.9))
        #expect(state.brief == "success 2 | placeholder" && state.wakeTime == .seconds(11))
        #expect(isChanged(state.wake(at: .seconds(11))))
        #expect(state.brief == "success 2 | image 2 fading" && state.wakeTime == nil && state.shown.number == 2)
    }

    @Test func minimumInterval_holdsNothingBackForLong_orForAnotherRequest() {
        var late = begun({ $0.minimumInterval = .seconds(1) }, placeholder: red)
        _ = late.succeed(response(image), isLast: true, late.generation, at: .seconds(1))
        #expect(late.brief == "success 2 | image 2 fading" && late.wakeTime == nil)
        // A reused view shows nothing of its former picture.
        let reused = begun({ $0.minimumInterval = .seconds(9) }, cached: response(other), after: late, at: .seconds(1))
        #expect(reused.brief == "success 3 | image 3")
    }

    @Test(arguments: [true, false]) func minimumInterval_isKeptWhenTheImageIsLoadedAgain(isCached: Bool) {
        func settings(_ settings: inout ImageSlot.Settings) {
            settings.minimumInterval = .seconds(1)
            settings.keepsCurrent = true
        }
        let stale = response(image, from: .memory, stale: .unconfirmed)
        let first = begun(settings, cached: stale, at: .seconds(10))
        var again = begun(
            settings, cached: isCached ? stale : nil, after: first, keepsPicture: true, at: .seconds(10.1))
        _ = again.succeed(response(other), isLast: true, again.generation, at: .seconds(10.2))
        #expect(again.brief.hasSuffix("| image 2") && again.wakeTime == .seconds(11))
        // One that was held and comes early because of another load is also shown long enough.
        again = begun(settings, after: again, keepsPicture: true, at: .milliseconds(10_300))
        #expect(again.brief == "loading 0 | image 3 fading" && again.wakeTime == nil)
        _ = again.succeed(response(image), isLast: true, again.generation, at: .seconds(10.4))
        #expect(again.brief == "success 2 | image 3 fading" && again.wakeTime == .milliseconds(11_300))
        // The picture of another request may be replaced at once.
        var next = begun(settings, after: first, at: .seconds(10.1))
        _ = next.succeed(response(other), isLast: true, next.generation, at: .seconds(10.2))
        #expect(next.brief == "success 3 | image 3 fading")
    }

    @Test func heldFailure_isShownLater_andHeldImageSurvivesCancelling() {
        var failed = begun(
            {
                $0.minimumInterval = .seconds(1)
                $0.failurePlaceholder = .image(other)
            }, placeholder: red)
        _ = failed.end(.emptyBody, failed.generation, at: .zero)
        #expect(failed.brief == "emptyBody | placeholder")
        #expect(isChanged(failed.wake(at: .seconds(1))))
        #expect(failed.brief == "emptyBody | placeholder 3")

        var held = begun({ $0.minimumInterval = .seconds(1) }, placeholder: red)
        _ = held.succeed(response(image), isLast: true, held.generation, at: .zero)
        #expect(isChanged(held.cancel()))
        #expect(held.brief == "success 2 | image 2 fading" && held.wakeTime == nil)
        #expect(isUnchanged(held.cancel()))
    }

    @Test func nothingThatIsShown_holdsNothingBack() {
        var state = begun({ $0.minimumInterval = .seconds(9) })
        _ = state.succeed(response(image), isLast: true, state.generation, at: .milliseconds(5))
        #expect(state.brief == "success 2 | image 2 fading" && state.wakeTime == nil)
    }

    @Test func heldImage_isKept_whenItIsLoadedAgain() {
        var held = begun({ $0.minimumInterval = .seconds(1) }, placeholder: red)
        _ = held.succeed(response(image), isLast: true, held.generation, at: .zero)
        var again = begun(placeholder: red, after: held, keepsPicture: true)
        #expect(again.brief == "loading 0 | image 2 fading")
        _ = again.end(.emptyBody, again.generation, at: .zero)
        #expect(again.brief == "emptyBody | image 2 fading")
    }

    @Test func loadThatOthersCancel_showsNoPlaceholderLater() {
        var state = begun({ $0.placeholderDelay = .seconds(1) }, placeholder: red)
        _ = state.end(.cancelled, state.generation, at: .zero)
        #expect(state.wakeTime == nil && state.brief == "empty | none")
    }

    @Test func stalePicture_isNotTheEnd() {
        var state = begun(cached: response(image, from: .memory, stale: .unconfirmed))
        _ = state.end(.badStatus(503), state.generation, at: .zero)
        #expect(state.error == .badStatus(503) && !state.isComplete)
        var low = begun()
        _ = low.succeed(response(image), isLast: false, low.generation, at: .zero)
        #expect(isChanged(low.cancel()))
        #expect(!low.isComplete && low.brief == "success 2 | image 2 fading")
        var whole = begun()
        _ = whole.succeed(response(image), isLast: true, whole.generation, at: .zero)
        #expect(whole.isComplete && whole.error == nil)
    }

    @Test func smallerVersion_doesNotReplaceTheImageOfTheRequest() {
        var small = response(other)
        small.isLowResolution = true
        let first = begun(cached: response(image, from: .memory))
        var again = begun(after: first, keepsPicture: true)
        #expect(again.hasImage)
        #expect(isUnchanged(again.succeed(small, isLast: false, again.generation, at: .zero)))
        #expect(again.brief == "loading 0 | image 2" && again.shown.number == 1)
        _ = again.end(.emptyBody, again.generation, at: .zero)
        #expect(again.brief == "emptyBody | image 2")
        var stale = begun(cached: response(image, from: .memory, stale: .unconfirmed))
        #expect(isUnchanged(stale.succeed(small, isLast: false, stale.generation, at: .zero)))
        // It replaces that of another request, and itself.
        var next = begun({ $0.keepsCurrent = true }, after: first)
        #expect(!next.hasImage)
        #expect(isChanged(next.succeed(small, isLast: false, next.generation, at: .zero)))
        #expect(next.brief == "success 3 low | image 3 fading")
        next = begun(after: next, keepsPicture: true)
        #expect(!next.hasImage)
        #expect(isChanged(next.succeed(small, isLast: false, next.generation, at: .zero)))
        _ = next.succeed(response(image), isLast: true, next.generation, at: .zero)
        #expect(next.hasImage && next.brief == "success 2 | image 2 fading")
        next.clear()
        #expect(!next.hasImage)
    }

    @Test(arguments: ImageSlot.Transition.allCases, [ImageSource.memory, .disk])
    func transition_dependsOnTheSource(transition: ImageSlot.Transition, source: ImageSource) {
        var loaded = begun({ $0.transition = transition })
        _ = loaded.succeed(response(image, from: source), isLast: true, loaded.generation, at: .zero)
        let fades = transition == .always || transition == .unlessFromMemory && source != .memory
        #expect(loaded.shown.isTransition == fades)
        let found = begun({ $0.transition = transition }, cached: response(image, from: .memory))
        #expect(found.shown.isTransition == (transition == .always))
    }

    @Test func eventsOfAnEarlierLoad_changeNothing() throws {
        var state = begun(placeholder: red)
        let old = state.generation
        state = begun(placeholder: red, after: state)
        let before = state.brief
        #expect(isUnchanged(state.receive(1, of: 2, old)))
        #expect(isUnchanged(state.preview(try preview(), old, at: .zero)))
        #expect(isUnchanged(state.succeed(response(image), isLast: true, old, at: .zero)))
        #expect(isUnchanged(state.end(.emptyBody, old, at: .zero)))
        #expect(state.brief == before)
        #expect(isChanged(state.cancel()))
        #expect(state.brief == "empty | placeholder")
        #expect(isUnchanged(state.succeed(response(image), isLast: true, state.generation - 1, at: .zero)))
        state.clear()
        #expect(state.brief == "empty | none")
    }
}

extension SlotState {
    /// The phase and the picture in a few words. Pictures are called by their width.
    var brief: String { "\(phase.brief) | \(shown.brief)" }

    /// Begins a load of some request; with a stale image of a cache, a better one is loaded.
    mutating func begin(
        _ settings: SlotSettings, placeholder: Placeholder? = nil, cached: ImageResponse?, keepsPicture: Bool,
        at now: Duration
    ) {
        if let cached {
            begin(
                nil, settings, placeholder: placeholder, with: cached, isComplete: !cached.isStale,
                keepsPicture: keepsPicture, at: now)
        } else {
            begin(nil, settings, placeholder: placeholder, keepsPicture: keepsPicture, at: now)
        }
    }
}
