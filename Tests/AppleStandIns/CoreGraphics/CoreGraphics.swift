// swift-format-ignore-file
// A stand-in for CoreGraphics, see Tests/AppleStandIns/README.md. Nothing here runs.
@_exported import AppleSystem

public enum CGColorSpaceModel: Int32, Sendable {
    case unknown = -1
    case monochrome, rgb, cmyk, lab, deviceN, indexed, pattern, XYZ
}

public final class CGColorSpace {
    public init?(name: CFString) { fatalError() }
    public init?(iccData: CFData) { fatalError() }
    public var model: CGColorSpaceModel { fatalError() }
    // coregraphics/cgcolorspace/supportsoutput
    public var supportsOutput: Bool { fatalError() }
    // coregraphics/cgcolorspace/copyiccdata() and displayp3
    public func copyICCData() -> CFData? { fatalError() }
    public static var displayP3: CFString { fatalError() }
    public static var sRGB: CFString { fatalError() }
    // coregraphics/cgcolorspace/basecolorspace
    public var baseColorSpace: CGColorSpace? { fatalError() }
}

// coregraphics/cgcolorspaceusesitur_2100tf(_:)
public func CGColorSpaceUsesITUR_2100TF(_ space: CGColorSpace) -> Bool { fatalError() }
// coregraphics/cgcolorspaceusesextendedrange(_:)
public func CGColorSpaceUsesExtendedRange(_ space: CGColorSpace) -> Bool { fatalError() }

public final class CGColor {
    public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) { fatalError() }
}

public typealias CGDataProviderReleaseDataCallback =
    @convention(c) (UnsafeMutableRawPointer?, UnsafeRawPointer, Int) -> Void

public final class CGDataProvider {
    public init?(data: CFData) { fatalError() }
    public init?(
        dataInfo info: UnsafeMutableRawPointer?, data: UnsafeRawPointer, size: Int,
        releaseData: @escaping CGDataProviderReleaseDataCallback
    ) { fatalError() }
}

public enum CGColorRenderingIntent: Int32, Sendable {
    case defaultIntent, absoluteColorimetric, relativeColorimetric, perceptual, saturation
}

public enum CGImageAlphaInfo: UInt32, Sendable {
    case none, premultipliedLast, premultipliedFirst, last, first, noneSkipLast, noneSkipFirst, alphaOnly
}

public struct CGBitmapInfo: OptionSet, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
}

public enum CGBlendMode: Int32, Sendable {
    case normal = 0
    case copy = 17
}

// coregraphics/cgimage (Conforms To: Sendable)
public final class CGImage: Sendable {
    public init?(
        width: Int, height: Int, bitsPerComponent: Int, bitsPerPixel: Int, bytesPerRow: Int, space: CGColorSpace,
        bitmapInfo: CGBitmapInfo, provider: CGDataProvider, decode: UnsafePointer<CGFloat>?, shouldInterpolate: Bool,
        intent: CGColorRenderingIntent
    ) { fatalError() }

    public var width: Int { fatalError() }
    public var height: Int { fatalError() }
    // coregraphics/cgimage/colorspace
    public var colorSpace: CGColorSpace? { fatalError() }
}

public class CGContext {
    // SDKs from 26 on also have one with CGBitmapInfo. This one is deprecated for apps that need a system from 27.3 on.
    public init?(
        data: UnsafeMutableRawPointer?, width: Int, height: Int, bitsPerComponent: Int, bytesPerRow: Int,
        space: CGColorSpace, bitmapInfo: UInt32
    ) { fatalError() }

    public func setBlendMode(_ mode: CGBlendMode) { fatalError() }
    public func draw(_ image: CGImage, in rect: CGRect, byTiling: Bool = false) { fatalError() }
    public func translateBy(x: CGFloat, y: CGFloat) { fatalError() }
    public func scaleBy(x: CGFloat, y: CGFloat) { fatalError() }
}
