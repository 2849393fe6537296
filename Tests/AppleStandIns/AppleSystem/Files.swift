// swift-format-ignore-file
// A stand-in for Darwin, see Tests/AppleStandIns/README.md. Nothing here runs.
public import AppleTypes

// These hide Glibc's declarations of the same name, whose integers have other sizes. They follow macOS' manual pages of
// their names: stat(2), statvfs(3), open(2), chmod(2), truncate(2), mkdir(2), pread(2), poll(2), dir(5), opendir(3),
// fcntl(2), sysctl(3), shutdown(2), socket(2), getsockopt(2), inet(4).

public var S_IFMT: mode_t { 0o170000 }
public var S_IFREG: mode_t { 0o100000 }
public var S_IFDIR: mode_t { 0o040000 }
public var S_IFLNK: mode_t { 0o120000 }

public func fstat(_ file: Int32, _ status: UnsafeMutablePointer<stat>) -> Int32 { fatalError() }
public func fstatat(
    _ directory: Int32, _ path: UnsafePointer<CChar>, _ status: UnsafeMutablePointer<stat>, _ flags: Int32
) -> Int32 { fatalError() }
public func stat(_ path: UnsafePointer<CChar>, _ status: UnsafeMutablePointer<stat>) -> Int32 { fatalError() }
public func lstat(_ path: UnsafePointer<CChar>, _ status: UnsafeMutablePointer<stat>) -> Int32 { fatalError() }

public func statvfs(_ path: UnsafePointer<CChar>, _ status: UnsafeMutablePointer<statvfs>) -> Int32 { fatalError() }

public func open(_ path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 { fatalError() }
public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: mode_t) -> Int32 { fatalError() }
public func fchmod(_ file: Int32, _ mode: mode_t) -> Int32 { fatalError() }
@discardableResult public func ftruncate(_ file: Int32, _ length: off_t) -> Int32 { fatalError() }
@discardableResult public func truncate(_ path: UnsafePointer<CChar>, _ length: off_t) -> Int32 { fatalError() }
public func mkdir(_ path: UnsafePointer<CChar>, _ mode: mode_t) -> Int32 { fatalError() }
public func pread(_ file: Int32, _ bytes: UnsafeMutableRawPointer, _ count: Int, _ offset: off_t) -> Int {
    fatalError()
}
@discardableResult public func poll(
    _ entries: UnsafeMutablePointer<pollfd>, _ count: nfds_t, _ timeout: Int32
) -> Int32 { fatalError() }

// Glibc's, with another type, so that a call with a literal isn't ambiguous.
@available(*, unavailable) public func open(_ path: UnsafePointer<CChar>, _ flags: Int32, _ mode: UInt32) -> Int32 {
    fatalError()
}
// Functions of C can't be hidden in that way. The copies of tests and benchmarks call these instead.
@discardableResult public func apple_chmod(_ path: UnsafePointer<CChar>, _ mode: mode_t) -> Int32 { fatalError() }
@discardableResult public func apple_mkdir(_ path: UnsafePointer<CChar>, _ mode: mode_t) -> Int32 { fatalError() }
public func apple_opendir(_ path: UnsafePointer<CChar>) -> UnsafeMutablePointer<DIR>? { fatalError() }

public struct DIR {}

public struct dirent {
    public var d_ino: UInt64
    public var d_reclen: UInt16
    public var d_namlen: UInt16
    public var d_type: UInt8
    // 1024 of them.
    public var d_name: (CChar, CChar, CChar, CChar)
}

public var DT_UNKNOWN: Int32 { 0 }
public var DT_DIR: Int32 { 4 }
public var DT_REG: Int32 { 8 }

public func fdopendir(_ file: Int32) -> UnsafeMutablePointer<DIR>? { fatalError() }
public func opendir(_ path: UnsafePointer<CChar>) -> UnsafeMutablePointer<DIR>? { fatalError() }
public func readdir(_ directory: UnsafeMutablePointer<DIR>) -> UnsafeMutablePointer<dirent>? { fatalError() }
public func dirfd(_ directory: UnsafeMutablePointer<DIR>) -> Int32 { fatalError() }
@discardableResult public func closedir(_ directory: UnsafeMutablePointer<DIR>) -> Int32 { fatalError() }

// fcntl(2)
public var F_BARRIERFSYNC: Int32 { 85 }
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

