public import Alcedo
public import Foundation
import Synchronization

/// A transport without a network: a closure answers immediately, or the test takes each call and drives it.
///
/// ```swift
/// let loader = ScriptedDataLoader()                       // the test drives every call
/// let call = try await loader.nextCall()
/// call.answer(png)
///
/// let canned = ScriptedDataLoader { _ in .bytes(png) }    // answers at once
/// ```
///
/// Safe to use from any isolation. A call that is answered immediately doesn't suspend and creates no Task, so a
/// benchmark can use the loader in place of the network.
public final class ScriptedDataLoader: DataLoading {
    /// Decides the answer to a request. Called on the caller's thread; it must not block.
    public typealias Handler = @Sendable (DataRequest) throws(ImageLoaderError) -> Answer

    private let handler: Handler?
    private let calls = Handshake<[Call]>([])
    private let count = Atomic<Int>(0)

    /// Creates a loader whose calls all wait for ``nextCall()``.
    public init() {
        handler = nil
    }

    /// Creates a loader that answers with `handler`. If `handler` throws an error, `load` throws it.
    public init(_ handler: @escaping Handler) {
        self.handler = handler
    }

    /// The number of calls of `load` so far, including those of already cancelled Tasks.
    public var callCount: Int { count.load(ordering: .sequentiallyConsistent) }

    /// Always true, because the loader connects to no address.
    public var checksAddresses: Bool { true }

    /// Waits for the next call that the test has to drive, and returns it.
    ///
    /// Each call is returned once, in the order in which they were made, even if the call came first. Throws
    /// `CancellationError` if the calling Task is cancelled.
    public func nextCall() async throws -> Call {
        try await calls.wait { $0.isEmpty ? nil : $0.removeFirst() }
    }

    /// Waits for the next call for `url` that the test has to drive, and returns it. Calls for other URLs stay queued.
    ///
    /// `url` is compared with the URL of the call's request, character by character. Each call is returned once, even
    /// if ``nextCall()`` waits at the same time. Throws `CancellationError` if the calling Task is cancelled.
    public func nextCall(for url: URL) async throws -> Call {
        let text = url.absoluteString
        return try await calls.wait { calls in
            guard let index = calls.firstIndex(where: { $0.request.url.absoluteString == text }) else { return nil }
            return calls.remove(at: index)
        }
    }

    /// Gives the scripted answer.
    ///
    /// Throws the error of the script or of `sink`, or `ImageLoaderError.cancelled` as soon as the calling Task is
    /// cancelled.
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
    /// The answer of a ``ScriptedDataLoader`` to a request.
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

        /// A complete response that announces its actual length.
        public static func response(status: Int, headers: HTTPHeaders = [:], body: Data = Data()) -> Answer {
            response(status: status, headers: headers, body: body, expectedBytes: body.count)
        }

        /// A complete response that announces `expectedBytes`, right or wrong; nil announces no length.
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
