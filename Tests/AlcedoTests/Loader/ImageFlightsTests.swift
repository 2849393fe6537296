import AlcedoTestSupport
import Testing

@testable import Alcedo

/// What flights do once they have landed, and those who wait for that.
@Suite(.timeLimit(.minutes(1))) struct ImageFlightsTests {
    private let flights = ImageFlights()
    private let opened = Recorder<String>()
    private let done = Recorder<String>()

    /// Loads a picture; what its flight does afterwards lasts until it is opened.
    private func land(_ name: String) async throws {
        let image = DecodedImage(bitmap: try Pictures.plain(1, 1))
        let request = try ImageRequest.test(name)
        let key = FlightKey(ImageKey(request), request)
        _ = try await flights.image(for: key, nil, priority: .normal, onShare: {}) { [opened, done] _ in
            Landing(LoadedImage(image: image, source: .network, timings: LoadTimings())) {
                await opened.wait { $0.contains(name) }
                done.record(name)
            }
        }.get()
    }

    @Test func settling_waitsForWhatHasLandedBefore_andForNothingElse() async throws {
        try await land("a")
        try await land("b")
        let begun = Recorder<Bool>()
        async let settled: Void = flights.settle { begun.record(true) }
        await begun.wait { !$0.isEmpty }
        // It would never end if it waited for this one.
        try await land("c")
        opened.record("b")
        opened.record("a")
        await settled
        #expect(Set(done.values) == ["a", "b"])
        opened.record("c")
        await flights.settle()
        #expect(done.values.last == "c")
        await flights.settle()
    }
}

extension ImageFlights {
    /// Whoever comes to the actor after `begin` was called comes after the wait has begun.
    fileprivate func settle(_ begin: @Sendable () -> Void) async {
        begin()
        await settle()
    }
}
