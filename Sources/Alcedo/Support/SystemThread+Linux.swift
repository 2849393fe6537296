#if !canImport(Darwin)
import Foundation

/// Creates a thread that passes `argument` to ``runThread(_:)``. Returns nil when the system can't create one.
func createThread(_ argument: UnsafeMutableRawPointer) -> pthread_t? {
    var thread: pthread_t = 0
    return pthread_create(&thread, nil, { $0.flatMap { runThread($0) } }, argument) == 0 ? thread : nil
}
#endif
