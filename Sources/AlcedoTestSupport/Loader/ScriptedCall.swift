public import Alcedo
public import Foundation

extension ScriptedDataLoader {
    /// One call of `load`, driven by the test.
    ///
    /// The loading Task delivers the test's events to the sink, in order; nothing is delivered after that Task was
    /// cancelled. Events after the end of the call are ignored, so each method may be called at any time, from any
    /// isolation, and more than once. Chunks wait while the sink demands nothing.
    public final class Call: Sendable {
        /// The outcome of a call.
        public enum End: Sendable, Equatable {
            /// The test finished it.
            case finished
            /// The test made it fail.
            case failed(ImageLoaderError)
            /// The sink refused to take more.
            case refused(ImageLoaderError)
            /// The loading Task was cancelled.
            case cancelled
        }

        /// Thrown by ``cancelled()`` when the call has ended in another way.
        public struct NotCancelled: Error, Equatable {
            public let end: End
        }

        private enum Event: Sendable {
            case head(ResponseHead)
            case chunk(Data)
            case finish
            case fail(ImageLoaderError)
        }

        private struct State: Sendable {
            var events: [Event] = []
            /// Whether the loading Task holds an event that the sink hasn't taken yet.
            var isDelivering = false
            var demand = ResponseSink.Demand.more
            var end: End?
        }

        /// The request passed to `load`.
        public let request: DataRequest

        private let state = Handshake(State())

        init(_ request: DataRequest) {
            self.request = request
        }

        // MARK: The test's side

        /// Sends the head. `url` is the URL that responded, by default the requested one.
        public func respond(
            status: Int = 200, headers: HTTPHeaders = [:], expectedBytes: Int? = nil, url: URL? = nil
        ) {
            post(
                .head(
                    ResponseHead(
                        status: status, url: url ?? request.url, headers: headers, expectedBytes: expectedBytes)))
        }

        /// Sends a chunk of the body.
        public func send(_ chunk: Data) { post(.chunk(chunk)) }

        /// Completes the body: `load` returns.
        public func finish() { post(.finish) }

        /// Ends the call with an error: `load` throws `error`.
        public func fail(_ error: ImageLoaderError) { post(.fail(error)) }

        /// Answers with status 200: the head, which announces the body's length, the body in one chunk, and the end.
        public func answer(_ body: Data, headers: HTTPHeaders = [:]) {
            respond(headers: headers, expectedBytes: body.count)
            send(body)
            finish()
        }

        /// Answers without a body. The head announces no length.
        public func answer(status: Int, headers: HTTPHeaders = [:]) {
            respond(status: status, headers: headers)
            finish()
        }

        /// The outcome of the call; nil while it runs.
        public var end: End? { state.snapshot.end }

        /// Whether the sink demands nothing at the moment.
        public var isPaused: Bool { state.snapshot.demand == .nothing }

        /// Whether the loading Task was cancelled before the end.
        public var isCancelled: Bool { end == .cancelled }

        /// Waits until the sink has taken everything that was sent, or the call has ended.
        ///
        /// Throws `CancellationError` if the calling Task is cancelled.
        public func delivered() async throws {
            try await state.wait { state in
                state.end != nil || (state.events.isEmpty && !state.isDelivering) ? () : nil
            }
        }

        /// Waits for the end of the call. Throws `CancellationError` if the calling Task is cancelled.
        public func ended() async throws -> End {
            try await state.wait { $0.end }
        }

        /// Waits until the loading Task is cancelled.
        ///
        /// Throws ``NotCancelled`` if the call ends in another way, and `CancellationError` if the calling Task is
        /// cancelled.
        public func cancelled() async throws {
            let end = try await ended()
            guard end == .cancelled else { throw NotCancelled(end: end) }
        }

        private func post(_ event: Event) {
            state.update { state in
                if state.end == nil { state.events.append(event) }
            }
        }

        // MARK: The loading Task's side

        func run(into sink: ResponseSink) async throws(ImageLoaderError) {
            sink.onDemand { [weak self, weak sink] in
                self?.state.update { if let sink { $0.demand = sink.demand } }
            }
            while true {
                switch try await nextEvent() {
                case .head(let head): try deliver { () throws(ImageLoaderError) in try sink.begin(head) }
                case .chunk(let chunk): try deliver { () throws(ImageLoaderError) in try sink.append(chunk) }
                case .finish: return conclude(.finished)
                case .fail(let error):
                    conclude(.failed(error))
                    throw error
                }
            }
        }

        private func nextEvent() async throws(ImageLoaderError) -> Event {
            do {
                return try await state.wait { state in
                    if case .end(let error) = state.demand { return .fail(error) }
                    guard let event = state.events.first else { return nil }
                    if case .chunk = event, state.demand == .nothing { return nil }
                    state.isDelivering = true
                    return state.events.removeFirst()
                }
            } catch {
                // Nothing closes this handshake, so only cancellation ends it.
                conclude(.cancelled)
                throw .cancelled
            }
        }

        private func deliver(_ body: () throws(ImageLoaderError) -> Void) throws(ImageLoaderError) {
            do {
                try body()
            } catch {
                conclude(.refused(error))
                throw error
            }
            state.update { $0.isDelivering = false }
        }

        private func conclude(_ end: End) {
            state.update { state in
                state.end = end
                state.events = []
                state.isDelivering = false
            }
        }
    }
}
