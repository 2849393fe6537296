import Foundation

/// Threads of the system's own. Dispatch has some 250 for all queues of a process, and one that waits would be missing
/// there; Foundation's do not say when there was none to be had.
package enum SystemThread {
    /// Runs `body` on a thread of its own, which ends with it.
    ///
    /// - Returns: false when the system has no thread to give; `body` is never run then.
    package static func start(_ label: String, _ body: @escaping @Sendable () -> Void) -> Bool {
        let handle = Unmanaged.passRetained(Body(label, body))
        guard let thread = create(handle.toOpaque()) else {
            handle.release()
            return false
        }
        pthread_detach(thread)
        return true
    }
}

private final class Body {
    let label: String
    let run: @Sendable () -> Void

    init(_ label: String, _ run: @escaping @Sendable () -> Void) {
        self.label = label
        self.run = run
    }
}

#if canImport(Darwin)
private func create(_ argument: UnsafeMutableRawPointer) -> pthread_t? {
    var thread: pthread_t?
    return pthread_create(&thread, nil, { run($0) }, argument) == 0 ? thread : nil
}
#else
private func create(_ argument: UnsafeMutableRawPointer) -> pthread_t? {
    var thread: pthread_t = 0
    return pthread_create(&thread, nil, { $0.flatMap { run($0) } }, argument) == 0 ? thread : nil
}
#endif

private func run(_ argument: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
    let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
    Thread.current.name = body.label
    body.run()
    return nil
}
