package import Foundation
import Synchronization

/// An event of the download that a load waits for.
///
/// Events come in this order: started, response, progress any number of times, ended. A retry starts over.
@nonexhaustive
public enum DownloadEvent: Sendable, Equatable {
    /// A request is being sent. `attempt` counts from 1.
    case started(attempt: Int)
    /// The response's head has arrived.
    case response(ResponseHead)
    /// The bytes of the body received so far, and its full length if known.
    ///
    /// If progress isn't read in time, only the latest value is delivered.
    case progress(received: Int, expected: Int?)
    /// The download has ended. `error` is nil if it completed.
    case ended(error: ImageLoaderError?)
}

/// The state of a download. Events are derived from it, so none needs to be stored.
package struct DownloadProgress: Sendable {
    /// Unique among the attempts of all downloads; 0 before the first attempt.
    private var serial: UInt64 = 0
    /// The number of the attempt, from 1; 0 in a download that ends before its first attempt.
    private var attempt = 0
    private var head: ResponseHead?
    private(set) var received = 0
    private var expected: Int?
    private var end: End?
    /// The bytes that the attempt has received, until it ends.
    private var body: ReceivedBody?

    private struct End: Sendable {
        let error: ImageLoaderError?
    }

    /// The position of a reader.
    package struct Cursor: Sendable {
        fileprivate var serial: UInt64 = 0
        fileprivate var hasHead = false
        fileprivate var received = 0
        fileprivate var hasEnded = false

        package init() {}
    }

    private static let lastSerial = Atomic<UInt64>(0)

    package init() {}

    package mutating func start(attempt: Int, receiving body: ReceivedBody? = nil) {
        self = Self()
        self.attempt = attempt
        self.body = body
        serial = Self.nextSerial()
    }

    private static func nextSerial() -> UInt64 { lastSerial.wrappingAdd(1, ordering: .relaxed).newValue }

    package mutating func respond(_ head: ResponseHead) {
        guard end == nil else { return }
        self.head = head
    }

    package mutating func receive(_ received: Int, of expected: Int?) {
        guard end == nil else { return }
        self.received = received
        self.expected = expected
    }

    /// Ends the download. Only another start can follow.
    package mutating func end(_ error: ImageLoaderError?) {
        guard end == nil else { return }
        end = End(error: error)
        body = nil
        // Distinguishes a download that ends before its first attempt from an earlier one.
        if isIdle { serial = Self.nextSerial() }
    }

    package var isIdle: Bool { serial == 0 }

    /// Whether the body may be truncated without the download having failed.
    var mayBeTruncated: Bool { head.map { !$0.hasKnownLength } ?? false }

    /// The current attempt and its progress. Nil before the first attempt and after the end.
    var transfer: TransferProgress? {
        body.map { TransferProgress(serial: serial, body: $0, received: received, expected: expected) }
    }

    /// Releases the body. Call it when ``transfer`` is no longer needed.
    mutating func releaseBody() { body = nil }

    /// The first event after `cursor`, or nil if there is none yet. Advances the cursor past it.
    package func event(after cursor: inout Cursor) -> DownloadEvent? {
        if serial != cursor.serial {
            cursor = Cursor()
            cursor.serial = serial
            if attempt > 0 { return .started(attempt: attempt) }
        }
        if let head, !cursor.hasHead {
            cursor.hasHead = true
            return .response(head)
        }
        if received > cursor.received {
            cursor.received = received
            return .progress(received: received, expected: expected)
        }
        if let end, !cursor.hasEnded {
            cursor.hasEnded = true
            return .ended(error: end.error)
        }
        return nil
    }
}

/// An attempt that is under way.
struct TransferProgress: Sendable {
    /// Distinguishes the attempt from all others.
    let serial: UInt64
    let body: ReceivedBody
    let received: Int
    let expected: Int?
}

/// Copies at most `limit` of the bytes that one attempt has received so far, starting at `offset`.
package typealias ReceivedBody = @Sendable (_ offset: Int, _ limit: Int) -> Data
