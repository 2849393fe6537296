// swift-format-ignore-file
// A stand-in for ImageIO, see Tests/AppleStandIns/README.md. Nothing here runs.
@_exported public import CoreGraphics

public class CGImageSource {}
public class CGImageDestination {}

public enum CGImageSourceStatus: Int32, Sendable {
    case statusUnexpectedEOF = -5
    case statusInvalidData, statusUnknownType, statusReadingHeader, statusIncomplete, statusComplete
}

public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? { fatalError() }
public func CGImageSourceGetStatusAtIndex(_ source: CGImageSource, _ index: Int) -> CGImageSourceStatus { fatalError() }
public func CGImageSourceCreateImageAtIndex(
    _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? { fatalError() }
// imageio/cgimagesourcecopytypeidentifiers()
public func CGImageSourceCopyTypeIdentifiers() -> CFArray { fatalError() }
// imageio/cgimagesourcegettype(_:)
public func CGImageSourceGetType(_ source: CGImageSource) -> CFString? { fatalError() }
// imageio/cgimagesourcegetcount(_:)
public func CGImageSourceGetCount(_ source: CGImageSource) -> Int { fatalError() }
// imageio/cgimagesourcecopyproperties(_:_:)
public func CGImageSourceCopyProperties(_ source: CGImageSource, _ options: CFDictionary?) -> CFDictionary? {
    fatalError()
}
// imageio/heic-image-properties
public var kCGImagePropertyHEICSDictionary: CFString { fatalError() }
public var kCGImagePropertyHEICSFrameInfoArray: CFString { fatalError() }
public var kCGImagePropertyHEICSUnclampedDelayTime: CFString { fatalError() }
public var kCGImagePropertyHEICSDelayTime: CFString { fatalError() }
public var kCGImagePropertyHEICSLoopCount: CFString { fatalError() }
// imageio/kcgimagepropertyavisdictionary
public var kCGImagePropertyAVISDictionary: CFString { fatalError() }
// imageio/cgimagesourcegetprimaryimageindex(_:)
public func CGImageSourceGetPrimaryImageIndex(_ source: CGImageSource) -> Int { fatalError() }
// imageio/cgimagesourcecopypropertiesatindex(_:_:_:)
public func CGImageSourceCopyPropertiesAtIndex(
    _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CFDictionary? { fatalError() }
// imageio/kcgimagepropertypixelwidth, kcgimagepropertypixelheight, kcgimagepropertyorientation,
// kcgimagepropertyhasalpha and kcgimagepropertydepth
public var kCGImagePropertyPixelWidth: CFString { fatalError() }
public var kCGImagePropertyPixelHeight: CFString { fatalError() }
public var kCGImagePropertyOrientation: CFString { fatalError() }
public var kCGImagePropertyHasAlpha: CFString { fatalError() }
public var kCGImagePropertyDepth: CFString { fatalError() }
// imageio/kcgimagesourceshouldcache
public var kCGImageSourceShouldCache: CFString { fatalError() }
// imageio/kcgimagesourceshouldcacheimmediately
public var kCGImageSourceShouldCacheImmediately: CFString { fatalError() }
// imageio/kcgimagesourcedecoderequest and kcgimagesourcedecodetosdr
public var kCGImageSourceDecodeRequest: CFString { fatalError() }
public var kCGImageSourceDecodeToSDR: CFString { fatalError() }
// imageio/cgimagesourcecreateincremental(_:)
public func CGImageSourceCreateIncremental(_ options: CFDictionary?) -> CGImageSource { fatalError() }
// imageio/cgimagesourceupdatedata(_:_:_:)
public func CGImageSourceUpdateData(_ source: CGImageSource, _ data: CFData, _ final: Bool) { fatalError() }
// imageio/kcgimagesourcetypeidentifierhint
public var kCGImageSourceTypeIdentifierHint: CFString { fatalError() }
// imageio/kcgimagesourcesubsamplefactor
public var kCGImageSourceSubsampleFactor: CFString { fatalError() }
// imageio/cgimagesourcecreatethumbnailatindex(_:_:_:)
public func CGImageSourceCreateThumbnailAtIndex(
    _ source: CGImageSource, _ index: Int, _ options: CFDictionary?
) -> CGImage? { fatalError() }
// imageio/kcgimagesourcethumbnailmaxpixelsize, kcgimagesourcecreatethumbnailfromimagealways and
// kcgimagesourcecreatethumbnailwithtransform
public var kCGImageSourceThumbnailMaxPixelSize: CFString { fatalError() }
public var kCGImageSourceCreateThumbnailFromImageAlways: CFString { fatalError() }
public var kCGImageSourceCreateThumbnailWithTransform: CFString { fatalError() }

public var kCGImageDestinationBackgroundColor: CFString { fatalError() }
public var kCGImageDestinationLossyCompressionQuality: CFString { fatalError() }
public var kCGImagePropertyJFIFDictionary: CFString { fatalError() }
public var kCGImagePropertyJFIFIsProgressive: CFString { fatalError() }
public func CGImageDestinationCreateWithData(
    _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? { fatalError() }
public func CGImageDestinationAddImage(
    _ destination: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?
) { fatalError() }
public func CGImageDestinationFinalize(_ destination: CGImageDestination) -> Bool { fatalError() }
