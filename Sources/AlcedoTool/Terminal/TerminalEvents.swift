import Foundation

/// The events of the terminal, in order.
///
/// Keys are read on a thread, because a read from a terminal can't be cancelled.
final class TerminalEvents: Sendable {
    enum Event: Sendable, Equatable {
        /// The terminal has sent these bytes.
        case typed([UInt8])
        /// Nothing has been typed for a moment.
        case pause
        /// Nothing more will be typed.
        case ended
        case resized
        /// The program continues after it was stopped, and the content of the screen is unknown.
        case resumed
    }

    let stream: AsyncStream<Event>
    private let continuation: AsyncStream<Event>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func tell(_ event: Event) { continuation.yield(event) }

    /// Reads a terminal until it is closed.
    func readKeys(from descriptor: Int32) {
        let thread = Thread { [self] in
            var buffer = [UInt8](repeating: 0, count: 1_024)
            var attempts = 0
            while true {
                let count = read(descriptor, &buffer, buffer.count)
                if count > 0 {
                    attempts = 0
                    tell(.typed(Array(buffer[..<count])))
                    var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
                    if poll(&wanted, 1, Self.pauseMilliseconds) == 0 { tell(.pause) }
                } else if count < 0, errno == EIO, attempts < 50, RawTerminal.isInBackground(descriptor) {
                    // The program is about to be stopped, and will have the terminal when it continues.
                    attempts += 1
                    _ = poll(nil, 0, 100)
                } else if count == 0 || errno != EINTR {
                    return tell(.ended)
                }
            }
        }
        thread.name = "TerminalEvents"
        thread.start()
    }

    /// A pause that is longer than the gaps between the bytes of a sequence, even over a slow connection.
    private static let pauseMilliseconds: Int32 = 50
}
