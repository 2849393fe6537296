public import Foundation
import Synchronization

/// Where a transport delivers a response: it holds what arrives against the limits and collects the body.
///
/// All rules about a response are here, so every transport keeps the same ones: the status that is accepted, the
/// largest body, the length that was announced. A transport calls ``begin(_:)`` once, then ``append(_:)-(Data)`` for
/// each chunk, and ends the transfer with the error when either throws.
public final class ResponseSink: Sendable {
    /// What happens, as the sink tells it.
    package enum Event: Sendable {
        case response(ResponseHead)
        /// Bytes of the body so far, and its announced length.
        case progress(received: Int, expected: Int?)
    }

    /// Bytes of all header fields together that are accepted; a transport that can stops a longer head as it comes.
    public var headerByteLimit: Int { rules.headerByteLimit }

    private let rules: ResponseRules
    private let onEvent: @Sendable (Event) -> Void
    private let state = Mutex(State())

    private struct State {
        var head: ResponseHead?
        var body = Data()
        /// Set when nobody wants the response any more.
        var isAbandoned = false
        var wasted = 0
    }

    /// - Parameters:
    ///   - byteLimit: the largest body in bytes.
    ///   - onProgress: called on the transport's thread, after the head and after each chunk, with the bytes received
    ///     so far and the announced length, if any.
    public convenience init(
        byteLimit: Int, onProgress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)? = nil
    ) {
        var rules = ResponseRules()
        rules.byteLimit = byteLimit
        self.init(rules: rules) { event in
            switch event {
            case .response(let head): onProgress?(0, head.expectedBytes)
            case .progress(let received, let expected): onProgress?(received, expected)
            }
        }
    }

    /// - Parameter onEvent: called on the transport's thread for each step, in order.
    package init(rules: ResponseRules, onEvent: @escaping @Sendable (Event) -> Void = { _ in }) {
        self.rules = rules
        self.onEvent = onEvent
    }

    /// Takes the head of the final response; informational ones and followed redirects are not delivered.
    ///
    /// - Throws: ``ImageLoaderError/badStatus(_:)`` unless the status is an accepted one, from 200 to 299 by default,
    ///   and ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when the announced length is above the limit.
    public func begin(_ head: ResponseHead) throws(ImageLoaderError) {
        try rules.check(head)
        if head.status == 206 { throw .malformedResponse("a part of the resource, which was not asked for") }
        state.withLock { state in
            state.head = head
            state.body = Data()
            // In one piece, so that it never moves. What a false length takes is address space, not memory.
            state.body.reserveCapacity(head.expectedBytes ?? 0)
        }
        onEvent(.response(head))
    }

    /// Takes the next bytes of the body. Copies them.
    ///
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when the body grows above the limit.
    public func append(_ chunk: Data) throws(ImageLoaderError) {
        try append(count: chunk.count) { $0.append(chunk) }
    }

    /// Takes the next bytes of the body; see ``append(_:)-(Data)``. They may be reused after the call.
    public func append(_ chunk: UnsafeRawBufferPointer) throws(ImageLoaderError) {
        try append(count: chunk.count) { $0.append(contentsOf: chunk) }
    }

    private func append(count: Int, _ add: (inout Data) -> Void) throws(ImageLoaderError) {
        let (received, expected, error) = state.withLock { state -> (Int, Int?, ImageLoaderError?) in
            if state.isAbandoned {
                state.wasted += count
                return (0, nil, .cancelled)
            }
            let received = state.body.count + count
            guard received <= rules.byteLimit else {
                return (0, nil, .limitExceeded(.inputBytes, value: received, allowed: rules.byteLimit))
            }
            add(&state.body)
            return (received, state.head?.expectedBytes, nil)
        }
        if let error { throw error }
        onEvent(.progress(received: received, expected: expected))
    }

    /// From now on nothing is taken: the last one who waited for the response has left.
    package func abandon() { state.withLock { $0.isAbandoned = true } }

    /// Bytes of the body that came after nobody waited for them any more.
    package var wasted: Int { state.withLock { $0.wasted } }

    /// Bytes of the body so far.
    var received: Int { state.withLock { $0.body.count } }

    /// The length that was announced.
    var expected: Int? { state.withLock { $0.head?.expectedBytes } }

    /// The whole body, once the transport says that it ended.
    package func finish() throws(ImageLoaderError) -> Download {
        let (head, body) = state.withLock { ($0.head, $0.body) }
        guard let head else { throw .malformedResponse("the transfer ended without a response") }
        if let expected = head.expectedBytes {
            if body.count < expected { throw .truncated(received: body.count, expected: expected) }
            if body.count > expected { throw .malformedResponse("a body longer than its announced \(expected) bytes") }
        }
        if body.isEmpty { throw .emptyBody }
        return Download(head: head, body: body)
    }
}

/// A response that came whole.
package struct Download: Sendable {
    package let head: ResponseHead
    package let body: Data
}
