public import Alcedo
public import Foundation
import Synchronization

/// A transport without a network: a closure answers at once, or the test takes each call and drives it.
///
/// ```swift
/// let loader = ScriptedDataLoader()                       // the test drives every call
/// let call = try await loader.nextCall()
/// call.respond(expectedBytes: png.count)
/// call.send(png)
/// call.finish()
///
/// let canned = ScriptedDataLoader { _ in .bytes(png) }    // answers at once
/// ```
///
/// Safe to use from any isolation. A call that is answered at once suspends nowhere and makes no Task, so that the
/// loader can stand in for the network in a benchmark.
public final class ScriptedDataLoader: DataLoading {
    /// Decides what comes back for a request. Called on the caller's thread; it must not block.
    public typealias Handler = @Sendable (DataRequest) throws(ImageLoaderError) -> Answer

    private let handler: Handler?
    private let calls = Handshake<[Call]>([])
    private let count = Atomic<Int>(0)

    /// A loader whose every call waits for ``nextCall()``.
    public init() {
        handler = nil
    }

    /// A loader that answers with `handler`; an error it throws is what `load` throws.
    public init(_ handler: @escaping Handler) {
        self.handler = handler
    }

    /// The calls of `load` so far, those of already cancelled Tasks included.
    public var callCount: Int { count.load(ordering: .sequentiallyConsistent) }

    /// Waits for the next call that is the test's to drive. Each is returned once, in the order they were made, also
    /// when the call came first. Throws `CancellationError` when the calling Task is cancelled.
    public func nextCall() async throws -> Call {
        try await calls.wait { $0.isEmpty ? nil : $0.removeFirst() }
    }

    /// Answers as scripted. Throws what the script or `sink` throws, and ``ImageLoaderError/cancelled`` at once when
    /// the calling Task is cancelled.
    public func load(_ request: DataRequest, into sink: ResponseSink) async throws(ImageLoaderError) {
        count.add(1, ordering: .sequentiallyConsistent)
        guard !Task.isCancelled else { throw .cancelled }
        switch try handler?(request).kind ?? .manual {
        case .response(let response):
            try response.deliver(for: request, to: sink)
        case .failure(let error):
            throw error
        case .manual:
            let call = Call(request)
            calls.update { $0.append(call) }
            try await call.run(into: sink)
        }
    }
}

extension ScriptedDataLoader {
    /// What a ``ScriptedDataLoader`` does with a request.
    public struct Answer: Sendable {
        enum Kind {
            case response(Response)
            case failure(ImageLoaderError)
            case manual
        }

        struct Response {
            let status: Int
            let headers: HTTPHeaders
            let body: Data
            let expectedBytes: Int?
        }

        let kind: Kind

        /// A whole response that announces the length it has.
        public static func response(status: Int, headers: HTTPHeaders = [:], body: Data = Data()) -> Answer {
            response(status: status, headers: headers, body: body, expectedBytes: body.count)
        }

        /// A whole response that announces `expectedBytes`, right or wrong, or nothing when it is nil.
        public static func response(
            status: Int, headers: HTTPHeaders, body: Data, expectedBytes: Int?
        ) -> Answer {
            Answer(
                kind: .response(Response(status: status, headers: headers, body: body, expectedBytes: expectedBytes)))
        }

        /// Status 200 with `body` in one chunk.
        public static func bytes(_ body: Data, headers: HTTPHeaders = [:]) -> Answer {
            response(status: 200, headers: headers, body: body)
        }

        /// A response without a body.
        public static func status(_ status: Int, headers: HTTPHeaders = [:]) -> Answer {
            response(status: status, headers: headers)
        }

        /// No response: `load` throws `error`.
        public static func failure(_ error: ImageLoaderError) -> Answer { Answer(kind: .failure(error)) }

        /// The test takes the call with ``ScriptedDataLoader/nextCall()``.
        public static var manual: Answer { Answer(kind: .manual) }
    }
}

extension ScriptedDataLoader.Answer.Response {
    fileprivate func deliver(for request: DataRequest, to sink: ResponseSink) throws(ImageLoaderError) {
        try sink.begin(
            ResponseHead(status: status, url: request.url, headers: headers, expectedBytes: expectedBytes))
        if !body.isEmpty { try sink.append(body) }
    }
}
