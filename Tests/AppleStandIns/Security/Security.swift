// swift-format-ignore-file
// A stand-in for Security, see Tests/AppleStandIns/README.md. Nothing here runs.
public import Foundation

// Core Foundation's names are declared later, in AppleSystem: CFArray is NSArray, CFData NSData and so on.

// security/sectrust, security/seccertificate, security/secidentity
public class SecTrust {}
public class SecCertificate {}
public class SecIdentity {}

// kernel/osstatus
public typealias OSStatus = Int32
// security/errsecsuccess, security/errsecauthfailed, security/errsecdecode
public var errSecSuccess: OSStatus { 0 }
public var errSecAuthFailed: OSStatus { -25293 }
public var errSecDecode: OSStatus { -26275 }

// security/seccertificatecreatewithdata(_:_:); CFAllocator is only ever nil.
public func SecCertificateCreateWithData(_ allocator: AnyObject?, _ data: NSData) -> SecCertificate? { fatalError() }
// security/sectrustsetanchorcertificates(_:_:)
public func SecTrustSetAnchorCertificates(_ trust: SecTrust, _ anchorCertificates: NSArray?) -> OSStatus {
    fatalError()
}
// security/sectrustsetanchorcertificatesonly(_:_:)
public func SecTrustSetAnchorCertificatesOnly(_ trust: SecTrust, _ anchorCertificatesOnly: Bool) -> OSStatus {
    fatalError()
}
// security/sectrustsetnetworkfetchallowed(_:_:)
public func SecTrustSetNetworkFetchAllowed(_ trust: SecTrust, _ allowFetch: Bool) -> OSStatus { fatalError() }
// security/sectrustevaluatewitherror(_:_:); CFError is only ever nil.
public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<NSError?>?) -> Bool {
    fatalError()
}

// security/secpkcs12import(_:_:_:)
public func SecPKCS12Import(
    _ pkcs12_data: NSData, _ options: NSDictionary, _ items: UnsafeMutablePointer<NSArray?>
) -> OSStatus { fatalError() }
// security/ksecimportexportpassphrase, security/ksecimporttomemoryonly (macOS 15, iOS 18)
public var kSecImportExportPassphrase: NSString { fatalError() }
public var kSecImportToMemoryOnly: NSString { fatalError() }
// security/ksecimportitemidentity, security/ksecimportitemcertchain
public var kSecImportItemIdentity: NSString { fatalError() }
public var kSecImportItemCertChain: NSString { fatalError() }
// security/secidentitygettypeid()
public func SecIdentityGetTypeID() -> UInt { fatalError() }
