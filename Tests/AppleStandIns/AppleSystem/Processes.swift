// swift-format-ignore-file
// A stand-in for Darwin, see Tests/AppleStandIns/README.md. Nothing here runs.
public import AppleTypes

// These hide Glibc's declarations of the same name. They follow macOS' manual pages of their names, such as pthread(3),
// posix_spawn(2), posix_spawnattr_setflags(3) and posix_spawn_file_actions_init(3).

public struct _opaque_pthread_t {}
public struct _opaque_pthread_attr_t {
    public init() { fatalError() }
}
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>
public typealias pthread_attr_t = _opaque_pthread_attr_t

@_disfavoredOverload public func pthread_self() -> pthread_t { fatalError() }
public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 { fatalError() }
// pthread_attr_init(3) and pthread_attr_setstacksize(3), and pthread/qos.h of the SDK: each returns an error number.
@discardableResult public func pthread_attr_init(_ attributes: UnsafeMutablePointer<pthread_attr_t>) -> Int32 {
    fatalError()
}
@discardableResult public func pthread_attr_destroy(_ attributes: UnsafeMutablePointer<pthread_attr_t>) -> Int32 {
    fatalError()
}
@discardableResult public func pthread_attr_setstacksize(
    _ attributes: UnsafeMutablePointer<pthread_attr_t>, _ size: Int
) -> Int32 { fatalError() }
public struct qos_class_t: RawRepresentable, Equatable, Sendable {
    public var rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}
public var QOS_CLASS_USER_INITIATED: qos_class_t { qos_class_t(rawValue: 0x19) }
@discardableResult public func pthread_attr_set_qos_class_np(
    _ attributes: UnsafeMutablePointer<pthread_attr_t>, _ quality: qos_class_t, _ relativePriority: Int32
) -> Int32 { fatalError() }
@discardableResult public func pthread_detach(_ thread: pthread_t) -> Int32 { fatalError() }

public typealias posix_spawn_file_actions_t = UnsafeMutableRawPointer
public typealias posix_spawnattr_t = UnsafeMutableRawPointer
public var POSIX_SPAWN_CLOEXEC_DEFAULT: Int32 { 0x4000 }
public var POSIX_SPAWN_SETSIGDEF: Int32 { 0x0004 }
public var POSIX_SPAWN_SETSIGMASK: Int32 { 0x0008 }
@discardableResult public func posix_spawn_file_actions_init(
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>?
) -> Int32 { fatalError() }
@discardableResult public func posix_spawn_file_actions_destroy(
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>?
) -> Int32 { fatalError() }
@discardableResult public func posix_spawn_file_actions_adddup2(
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>?, _ file: Int32, _ newFile: Int32
) -> Int32 { fatalError() }
@discardableResult public func posix_spawn_file_actions_addopen(
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>?, _ file: Int32, _ path: UnsafePointer<CChar>?,
    _ flags: Int32, _ mode: mode_t
) -> Int32 { fatalError() }
@discardableResult public func posix_spawn_file_actions_addclose(
    _ actions: UnsafeMutablePointer<posix_spawn_file_actions_t?>?, _ file: Int32
) -> Int32 { fatalError() }
@discardableResult public func posix_spawnattr_init(
    _ attributes: UnsafeMutablePointer<posix_spawnattr_t?>?
) -> Int32 { fatalError() }
@discardableResult public func posix_spawnattr_destroy(
    _ attributes: UnsafeMutablePointer<posix_spawnattr_t?>?
) -> Int32 { fatalError() }
@discardableResult public func posix_spawnattr_setsigmask(
    _ attributes: UnsafeMutablePointer<posix_spawnattr_t?>?, _ mask: UnsafePointer<sigset_t>?
) -> Int32 { fatalError() }
@discardableResult public func posix_spawnattr_setsigdefault(
    _ attributes: UnsafeMutablePointer<posix_spawnattr_t?>?, _ signals: UnsafePointer<sigset_t>?
) -> Int32 { fatalError() }
@discardableResult public func posix_spawnattr_setflags(
    _ attributes: UnsafeMutablePointer<posix_spawnattr_t?>?, _ flags: Int16
) -> Int32 { fatalError() }
public func posix_spawn(
    _ process: UnsafeMutablePointer<pid_t>?, _ path: UnsafePointer<CChar>?,
    _ actions: UnsafePointer<posix_spawn_file_actions_t?>?, _ attributes: UnsafePointer<posix_spawnattr_t?>?,
    _ arguments: UnsafePointer<UnsafeMutablePointer<CChar>?>?,
    _ environment: UnsafePointer<UnsafeMutablePointer<CChar>?>?
) -> Int32 { fatalError() }

// getrusage(2), getrlimit(2)
public var RUSAGE_SELF: Int32 { 0 }
public var RLIMIT_NOFILE: Int32 { 8 }
@discardableResult public func getrusage(_ who: Int32, _ usage: UnsafeMutablePointer<rusage>) -> Int32 { fatalError() }
@discardableResult public func getrlimit(_ resource: Int32, _ limit: UnsafeMutablePointer<rlimit>) -> Int32 {
    fatalError()
}
@discardableResult public func setrlimit(_ resource: Int32, _ limit: UnsafePointer<rlimit>) -> Int32 { fatalError() }

// libproc.h and sys/proc_info.h of macOS' SDK
public struct proc_taskinfo {
    public init() { fatalError() }
    public var pti_threadnum: Int32
}
public var PROC_PIDTASKINFO: Int32 { 4 }
public func proc_pidinfo(
    _ process: Int32, _ flavor: Int32, _ argument: UInt64, _ buffer: UnsafeMutableRawPointer?, _ size: Int32
) -> Int32 { fatalError() }
