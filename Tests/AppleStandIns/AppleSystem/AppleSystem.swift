// swift-format-ignore-file
// A stand-in for what Foundation, Dispatch and Darwin have on Apple's systems only, see
// Tests/AppleStandIns/README.md. Nothing here runs.
// Everything that Linux has under the same name and signature comes from the toolchain's own modules.
@_exported import AppleTypes
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
public typealias CFTypeID = UInt
// corefoundation/cfgettypeid(_:)
public func CFGetTypeID(_ cf: CFTypeRef) -> CFTypeID { fatalError() }

// MARK: Dispatch

// dispatch/dispatchsourcememorypressure
public protocol DispatchSourceMemoryPressure: AnyObject, DispatchSourceProtocol, Sendable {
    var data: DispatchSource.MemoryPressureEvent { get }
    var mask: DispatchSource.MemoryPressureEvent { get }
}

// dispatch/dispatchsource/memorypressureevent, dispatch/dispatchsource/makememorypressuresource(eventmask:queue:)
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

// foundation/urlrequest
extension URLRequest {
    public var allowsConstrainedNetworkAccess: Bool {
        get { fatalError() }
        set { fatalError() }
    }
    public var allowsExpensiveNetworkAccess: Bool {
        get { fatalError() }
        set { fatalError() }
    }
}

// foundation/urlprotectionspace/servertrust
extension URLProtectionSpace {
    public var serverTrust: SecTrust? { fatalError() }
}

extension URLCredential {
    // foundation/urlcredential/init(trust:)
    public convenience init(trust: SecTrust) { fatalError() }
    // foundation/urlcredential/init(identity:certificates:persistence:)
    public convenience init(
        identity: SecIdentity, certificates certArray: [Any]?, persistence: URLCredential.Persistence
    ) { fatalError() }
}

// foundation/nsurlauthenticationmethodservertrust, foundation/nsurlauthenticationmethodclientcertificate
public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
public let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"

