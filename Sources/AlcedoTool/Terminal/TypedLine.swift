import Foundation

/// A line that the user types.
enum TypedLine {
    /// Waits for a line on standard input; nil at the end of the input.
    ///
    /// The read happens on a thread, because a read from a terminal blocks and can't be cancelled.
    static func read() async -> String? {
        let (lines, continuation) = AsyncStream.makeStream(of: String.self)
        let thread = Thread {
            if let line = readLine() { continuation.yield(line) }
            continuation.finish()
        }
        thread.start()
        return await lines.first { _ in true }
    }
}
