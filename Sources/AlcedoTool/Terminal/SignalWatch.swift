import Foundation
import Synchronization

/// Reports signals on a thread, where any function may be called.
///
/// A signal handler may do almost nothing, so it writes the number of the signal to a pipe that the thread reads.
/// `sigwait` doesn't work here: it requires that every thread blocks the signals, but the main thread of a program with
/// an async `main` waits without blocking any. A Dispatch source would also work, but can't distinguish a second signal
/// that arrives before the first one is handled.
///
/// The second of two equal signals that end a program has its usual effect, even if the program hangs.
enum SignalWatch {
    /// The pipe that the handlers write to. A handler can't capture anything.
    private static let pipeEnd = Atomic<Int32>(-1)

    /// Calls `tell` for each of these signals, on one thread. Must be called once.
    ///
    /// - Parameters:
    ///   - ending: Signals that end a program. A signal that the program ignores from the start, as under nohup,
    ///     remains ignored.
    ///   - others: Signals that don't end a program.
    static func start(ending: [Int32], others: [Int32], tell: @escaping @Sendable (Int32) -> Void) {
        let pipe = Pipe()
        let reading = pipe.fileHandleForReading
        // The handle must live while its descriptor is used.
        let writing = pipe.fileHandleForWriting
        pipeEnd.store(writing.fileDescriptor, ordering: .sequentiallyConsistent)
        let thread = Thread {
            while let byte = next(reading.fileDescriptor) { tell(Int32(byte)) }
            withExtendedLifetime((reading, writing)) {}
        }
        thread.name = "SignalWatch"
        thread.start()
        for number in ending {
            let former = signal(number) { number in
                _ = signal(number, SIG_DFL)
                SignalWatch.pass(on: number)
            }
            if isIgnoring(former) { _ = signal(number, SIG_IGN) }
        }
        for number in others { _ = signal(number) { SignalWatch.pass(on: $0) } }
    }

    /// Lets a signal have its usual effect on the program, and then reports the signal again.
    ///
    /// Called on the thread that reports signals. For a signal that stops the program, this returns when the program
    /// continues, or immediately if the system ignores the signal because no shell could continue the program.
    static func performDefault(_ number: Int32) {
        _ = signal(number, SIG_DFL)
        raise(number)
        _ = signal(number) { SignalWatch.pass(on: $0) }
    }

    private static func pass(on number: Int32) {
        let code = errno
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(pipeEnd.load(ordering: .relaxed), &byte, 1)
        errno = code
    }

    private static func next(_ descriptor: Int32) -> UInt8? {
        var byte: UInt8 = 0
        while true {
            let count = read(descriptor, &byte, 1)
            if count == 1 { return byte }
            guard count < 0, errno == EINTR else { return nil }
        }
    }

    /// Function pointers can only be compared by their bytes.
    private static func isIgnoring(_ handler: (@convention(c) (Int32) -> Void)?) -> Bool {
        let ignoring: (@convention(c) (Int32) -> Void)? = SIG_IGN
        return withUnsafeBytes(of: handler, Array.init) == withUnsafeBytes(of: ignoring, Array.init)
    }
}
