#if canImport(UIKit)
import Alcedo
import Foundation
public import UIKit

/// The image type of the system's views.
public typealias PlatformImage = UIImage

extension Bitmap {
    func platformImage(scale: Double, profile: Data? = nil) -> PlatformImage? {
        cgImage(PixelDescription(profile: profile)).map { UIImage(cgImage: $0, scale: scale, orientation: .up) }
    }
}

extension DecodedImage {
    var platformImage: PlatformImage? { uiImage }
}
#elseif canImport(AppKit)
import Alcedo
public import AppKit
import Foundation

/// The image type of the system's views.
public typealias PlatformImage = NSImage

extension Bitmap {
    func platformImage(scale: Double, profile: Data? = nil) -> PlatformImage? {
        cgImage(PixelDescription(profile: profile)).map { NSImage($0, scale: scale) }
    }
}

extension DecodedImage {
    var platformImage: PlatformImage? { nsImage }
}
#endif

#if canImport(UIKit) || canImport(AppKit)
extension ImageRequest {
    /// The number of image pixels per point.
    var pixelsPerPoint: Double {
        switch scale {
        case .factor(let factor): factor
        case .fromName: url?.scaleInName ?? 1
        }
    }
}
#endif
