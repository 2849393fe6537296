#if canImport(Darwin)
import Foundation

/// Creates a thread that passes `argument` to ``runThread(_:)``. Returns nil when the system can't create one.
func createThread(_ argument: UnsafeMutableRawPointer) -> pthread_t? {
    var attributes = pthread_attr_t()
    guard pthread_attr_init(&attributes) == 0 else { return nil }
    defer { pthread_attr_destroy(&attributes) }
    // As on Linux; the default here is 512 KiB. Memory is taken only for what is used.
    pthread_attr_setstacksize(&attributes, 8 << 20)
    // A view waits for most of the work. By default, other threads of the app would come first.
    pthread_attr_set_qos_class_np(&attributes, QOS_CLASS_USER_INITIATED, 0)
    var thread: pthread_t?
    // Whether the closure's argument is optional differs between SDKs.
    let code = pthread_create(
        &thread, &attributes, { ($0 as UnsafeMutableRawPointer?).flatMap { runThread($0) } }, argument)
    return code == 0 ? thread : nil
}
#endif
