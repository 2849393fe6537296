import Foundation
import Synchronization

/// What happens to the download that a load waits for, in this order: started, response, progress any number of times,
/// ended. A retry starts anew.
@nonexhaustive
public enum DownloadEvent: Sendable, Equatable {
    /// A request is sent; `attempt` counts from 1.
    case started(attempt: Int)
    /// The head has come.
    case response(ResponseHead)
    /// Bytes of the body so far, and its whole length when it is known. Of several that were not read yet, the newest.
    case progress(received: Int, expected: Int?)
    /// It is over; `error` is nil when it is complete.
    case ended(error: ImageLoaderError?)
}

/// How far a download has come. Its events are read off this, so that none needs to be kept.
package struct DownloadProgress: Sendable {
    /// Tells attempts of any downloads apart; 0 when there was none.
    private var serial: UInt64 = 0
    /// Counts from 1; 0 in a download that ends before its first attempt.
    private var attempt = 0
    private var head: ResponseHead?
    private var received = 0
    private var expected: Int?
    private var end: End?
    /// What the attempt has received, until it ends.
    private var body: ReceivedBody?

    private struct End: Sendable {
        let error: ImageLoaderError?
    }

    /// What a reader has been told.
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

    /// Nothing comes after it but another start.
    package mutating func end(_ error: ImageLoaderError?) {
        guard end == nil else { return }
        end = End(error: error)
        body = nil
        // One that ends before its first attempt is told apart from an earlier one too.
        if isIdle { serial = Self.nextSerial() }
    }

    package var isIdle: Bool { serial == 0 }

    /// What is under way now, and how far it has come; nil before the first attempt and after the end.
    var transfer: TransferProgress? {
        body.map { TransferProgress(serial: serial, body: $0, received: received, expected: expected) }
    }

    /// Nobody will ask for ``transfer`` any more.
    mutating func letGo() { body = nil }

    /// The first event that `cursor` has not told yet, nil when there is none.
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

/// One attempt that is under way.
struct TransferProgress: Sendable {
    /// Tells it apart from all others.
    let serial: UInt64
    let body: ReceivedBody
    let received: Int
    let expected: Int?
}

/// The bytes that one attempt has received so far.
package struct ReceivedBody: Sendable {
    /// A copy of those from an offset on, no more than a limit.
    let copyBytes: @Sendable (_ offset: Int, _ limit: Int) -> Data
}
