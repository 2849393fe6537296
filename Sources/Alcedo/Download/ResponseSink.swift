public import Foundation
import Synchronization

/// Where a transport delivers a response: it checks what arrives against the limits and collects the body.
///
/// All rules about a response are here, so every transport keeps the same ones: the status that is accepted, the
/// largest body, the length that was announced. A transport calls ``begin(_:)`` once, then ``append(_:)`` for each
/// chunk, and ends the transfer with the error when either throws.
public final class ResponseSink: Sendable {
    /// A body as it stands: bytes so far and, when announced, the whole length.
    public typealias Progress = (received: Int, expected: Int?)

    private let byteLimit: Int
    private let onProgress: (@Sendable (Progress) -> Void)?
    private let state = Mutex(State())

    private struct State {
        var head: ResponseHead?
        var body = Data()
    }

    /// - Parameters:
    ///   - byteLimit: the largest body in bytes.
    ///   - onProgress: called on the transport's thread after the head and after each chunk.
    public init(byteLimit: Int, onProgress: (@Sendable (Progress) -> Void)? = nil) {
        self.byteLimit = byteLimit
        self.onProgress = onProgress
    }

    /// Takes the head of the final response (1xx and followed redirects are not delivered).
    public func begin(_ head: ResponseHead) throws(ImageLoaderError) {
        guard (200...299).contains(head.status) else { throw .badStatus(head.status) }
        if let expected = head.expectedBytes, expected > byteLimit {
            throw .limitExceeded(.inputBytes, value: expected, allowed: byteLimit)
        }
        state.withLock { state in
            state.head = head
            state.body = Data()
            // A length is a claim: the memory is taken as the bytes come, once they are many.
            state.body.reserveCapacity(min(head.expectedBytes ?? 0, Self.reserveLimit))
        }
        onProgress?((0, head.expectedBytes))
    }

    /// Takes the next bytes of the body.
    public func append(_ chunk: Data) throws(ImageLoaderError) {
        let (received, expected) = state.withLock { state in
            if state.body.count + chunk.count <= byteLimit { state.body.append(chunk) }
            return (state.body.count, state.head?.expectedBytes)
        }
        onProgress?((received, expected))
    }

    private static let reserveLimit = 8 << 20
}
