// swift-format-ignore-file
// A stand-in for Photos, see Tests/AppleStandIns/README.md. Nothing here runs.
public import AppleFoundation

// photos/phasset
open class PHAsset: NSObject {
    // photos/phasset/fetchassets(withlocalidentifiers:options:); the options are only ever nil.
    open class func fetchAssets(withLocalIdentifiers identifiers: [String], options: PHFetchOptions?)
        -> PHFetchResult<PHAsset> { fatalError() }
}

// photos/phfetchoptions
open class PHFetchOptions: NSObject {}

// photos/phfetchresult/firstobject
open class PHFetchResult<ObjectType: AnyObject>: NSObject {
    open var firstObject: ObjectType? { fatalError() }
}

// photos/phimagerequestoptions
open class PHImageRequestOptions: NSObject {
    open var isNetworkAccessAllowed: Bool {
        get { fatalError() }
        set { fatalError() }
    }
    open var deliveryMode: PHImageRequestOptionsDeliveryMode {
        get { fatalError() }
        set { fatalError() }
    }
}

// photos/phimagerequestoptionsdeliverymode
public enum PHImageRequestOptionsDeliveryMode: Int, Sendable {
    case opportunistic, highQualityFormat, fastFormat
}

public typealias PHImageRequestID = Int32

/// A type of ImageIO, whose stand-in doesn't have it.
public enum ImageOrientation: UInt32, Sendable { case up = 1 }

// photos/phimageerrorkey
public var PHImageErrorKey: String { fatalError() }

// photos/phimagemanager
open class PHImageManager: NSObject {
    open class func `default`() -> PHImageManager { fatalError() }
    // photos/phimagemanager/requestimagedataandorientation(for:options:resulthandler:)
    @discardableResult open func requestImageDataAndOrientation(
        for asset: PHAsset, options: PHImageRequestOptions?,
        resultHandler: @escaping (Data?, String?, ImageOrientation, [AnyHashable: Any]?) -> Void
    ) -> PHImageRequestID { fatalError() }
}
