// swift-format-ignore-file
// A stand-in for os, see Tests/AppleStandIns/README.md. Nothing here runs.
public import AppleFoundation

// os/oslog
public final class OSLog: NSObject, @unchecked Sendable {
    public init(subsystem: String, category: String) { fatalError() }
    public var signpostsEnabled: Bool { fatalError() }
}

// os/ossignpostid
public struct OSSignpostID: Sendable, Equatable, Comparable {
    public init(_ value: UInt64) { fatalError() }
    public static let exclusive = Self(0)
    public static func < (left: OSSignpostID, right: OSSignpostID) -> Bool { fatalError() }
}

// os/ossignposttype
public struct OSSignpostType: Sendable {
    public static let begin = Self()
    public static let end = Self()
    public static let event = Self()
}

// os/os_signpost(_:dso:log:name:signpostid:)
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer = #dsohandle, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive
) { fatalError() }
public func os_signpost(
    _ type: OSSignpostType, dso: UnsafeRawPointer = #dsohandle, log: OSLog, name: StaticString,
    signpostID: OSSignpostID = .exclusive, _ format: StaticString, _ arguments: any CVarArg...
) { fatalError() }

// https://developer.apple.com/documentation/os/os_log(_:dso:log:_:_:)
public struct OSLogType: Sendable { public static let `default` = Self() }
// os/os_log(_:dso:log:_:_:)
public func os_log(
    _ type: OSLogType, dso: UnsafeRawPointer = #dsohandle, log: OSLog, _ message: StaticString,
    _ arguments: any CVarArg...
) { fatalError() }

// os/os_proc_available_memory(). Not on macOS.
public func os_proc_available_memory() -> Int { fatalError() }
