// swift-format-ignore-file
// A stand-in for what Foundation, Dispatch and Darwin have on Apple's systems only, see Tests/AppleStandIns/README.md. Nothing here runs.
// Everything that Linux has under the same name and signature comes from the toolchain's own modules.
@_exported import Dispatch
@_exported import Foundation
@_exported import FoundationNetworking
@_exported import Glibc
@_exported import ObjectiveC
@_exported import Security

// MARK: Toll-free bridging. On Linux, too, a Swift value takes an `as` to become one of these.

public typealias CFArray = NSArray
public typealias CFData = NSData
public typealias CFDictionary = NSDictionary
public typealias CFMutableData = NSMutableData
public typealias CFString = NSString
public typealias CFTypeRef = AnyObject
public typealias CFTimeInterval = Double

// MARK: Dispatch

public protocol DispatchSourceMemoryPressure: AnyObject, DispatchSourceProtocol, Sendable {
    var data: DispatchSource.MemoryPressureEvent { get }
    var mask: DispatchSource.MemoryPressureEvent { get }
}

extension DispatchSource {
    public struct MemoryPressureEvent: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }

        public static let all = Self(rawValue: 7)
        public static let critical = Self(rawValue: 4)
        public static let normal = Self(rawValue: 1)
        public static let warning = Self(rawValue: 2)
    }

    public class func makeMemoryPressureSource(
        eventMask: DispatchSource.MemoryPressureEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceMemoryPressure { fatalError() }
}

// MARK: Foundation

extension URLProtectionSpace {
    public var serverTrust: SecTrust? { fatalError() }
}

extension URLCredential {
    public convenience init(trust: SecTrust) { fatalError() }
}

public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"

extension ProcessInfo {
    public var isLowPowerModeEnabled: Bool { fatalError() }
}

// MARK: Darwin. These hide Glibc's declarations of the same name.

public struct _opaque_pthread_t {}
public struct _opaque_pthread_attr_t {}
public typealias pthread_t = UnsafeMutablePointer<_opaque_pthread_t>
public typealias pthread_attr_t = _opaque_pthread_attr_t

@_disfavoredOverload public func pthread_self() -> pthread_t { fatalError() }
public func pthread_create(
    _ thread: UnsafeMutablePointer<pthread_t?>, _ attributes: UnsafePointer<pthread_attr_t>?,
    _ start: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer?,
    _ argument: UnsafeMutableRawPointer?
) -> Int32 { fatalError() }
@discardableResult public func pthread_detach(_ thread: pthread_t) -> Int32 { fatalError() }

public struct DIR {}
public func fdopendir(_ file: Int32) -> UnsafeMutablePointer<DIR>? { fatalError() }
public func opendir(_ path: UnsafePointer<CChar>) -> UnsafeMutablePointer<DIR>? { fatalError() }
public func readdir(_ directory: UnsafeMutablePointer<DIR>) -> UnsafeMutablePointer<dirent>? { fatalError() }
public func dirfd(_ directory: UnsafeMutablePointer<DIR>) -> Int32 { fatalError() }
@discardableResult public func closedir(_ directory: UnsafeMutablePointer<DIR>) -> Int32 { fatalError() }

extension stat {
    public var st_mtimespec: timespec { fatalError() }
}

public var F_FULLFSYNC: Int32 { 51 }
public func sysctlbyname(
    _ name: UnsafePointer<CChar>, _ old: UnsafeMutableRawPointer?, _ oldLength: UnsafeMutablePointer<Int>?,
    _ new: UnsafeMutableRawPointer?, _ newLength: Int
) -> Int32 { fatalError() }

public var SHUT_WR: Int32 { 1 }
public var SOCK_STREAM: Int32 { 1 }
public var SO_NOSIGPIPE: Int32 { 0x1022 }

extension sockaddr_in {
    public var sin_len: UInt8 {
        get { fatalError() }
        set { fatalError() }
    }
}

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
