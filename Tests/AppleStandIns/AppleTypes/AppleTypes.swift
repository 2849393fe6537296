// swift-format-ignore-file
// A stand-in for types of Darwin, see Tests/AppleStandIns/README.md. Nothing here runs.
//
// These hide types of Glibc, and follow macOS' stat(2), statvfs(3) and poll(2). They have their own module because
// some have a function of the same name, which no Swift module can declare as well.
@_exported import Dispatch
@_exported import Foundation
@_exported import FoundationNetworking
@_exported import Glibc

public typealias blkcnt_t = Int64
public typealias dev_t = Int32
public typealias ino_t = UInt64
public typealias mode_t = UInt16
public typealias nfds_t = UInt32
public typealias nlink_t = UInt16
public typealias off_t = Int64

public struct stat {
    public init() { fatalError() }
    public var st_dev: dev_t
    public var st_mode: mode_t
    public var st_nlink: nlink_t
    public var st_ino: ino_t
    public var st_uid: uid_t
    public var st_mtimespec: timespec
    public var st_size: off_t
    public var st_blocks: blkcnt_t
}

public struct statvfs {
    public init() { fatalError() }
    public var f_bsize: UInt
    public var f_frsize: UInt
    public var f_blocks: UInt32
    public var f_bfree: UInt32
    public var f_bavail: UInt32
}
