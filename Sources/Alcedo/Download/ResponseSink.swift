public import Foundation
import Synchronization

/// Where a transport delivers a response: it holds what arrives against the limits and collects the body.
///
/// All rules about a response are here, so every transport keeps the same ones: the status that is accepted, the
/// largest body, the length that was announced. A transport calls ``begin(_:)`` once, then ``append(_:)`` for each
/// chunk, and ends the transfer with the error when either throws.
public final class ResponseSink: Sendable {
    private let byteLimit: Int
    private let onProgress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)?
    private let state = Mutex(State())

    private struct State {
        var head: ResponseHead?
        var body = Data()
    }

    /// - Parameters:
    ///   - byteLimit: the largest body in bytes.
    ///   - onProgress: called on the transport's thread, after the head and after each chunk, with the bytes received
    ///     so far and the announced length, if any.
    public init(byteLimit: Int, onProgress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)? = nil) {
        self.byteLimit = byteLimit
        self.onProgress = onProgress
    }

    /// Takes the head of the final response; informational ones and followed redirects are not delivered.
    ///
    /// - Throws: ``ImageLoaderError/badStatus(_:)`` unless the status is from 200 to 299, and
    ///   ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when the announced length is above the limit.
    public func begin(_ head: ResponseHead) throws(ImageLoaderError) {
        guard (200...299).contains(head.status) else { throw .badStatus(head.status) }
        if head.status == 206 { throw .malformedResponse("a part of the resource, which was not asked for") }
        let expected = head.expectedBytes
        if let expected, expected > byteLimit {
            throw .limitExceeded(.inputBytes, value: expected, allowed: byteLimit)
        }
        state.withLock { state in
            state.head = head
            state.body = Data()
            // A length is only a claim: beyond this much, memory is taken as the bytes come.
            state.body.reserveCapacity(min(expected ?? 0, Self.reservedAtMost))
        }
        onProgress?(0, expected)
    }

    /// Takes the next bytes of the body. Copies them.
    ///
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when the body grows above the limit.
    public func append(_ chunk: Data) throws(ImageLoaderError) {
        let (received, expected, fits) = state.withLock { state in
            let received = state.body.count + chunk.count
            let fits = received <= byteLimit
            if fits { state.body.append(chunk) }
            return (received, state.head?.expectedBytes, fits)
        }
        guard fits else { throw .limitExceeded(.inputBytes, value: received, allowed: byteLimit) }
        onProgress?(received, expected)
    }

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

    private static let reservedAtMost = 8 << 20
}

/// A response that came whole.
package struct Download: Sendable {
    package let head: ResponseHead
    package let body: Data
}
