#if canImport(SwiftUI)
public import Alcedo
import CoreGraphics
import Foundation
public import SwiftUI

extension Image {
    /// Creates a view of a loaded image, with its scale. Shares the pixels. For an animation, the first frame.
    ///
    /// Nil only when the system is out of memory.
    ///
    /// - Parameter label: Describes the image to people who can't see it. Default: nil, for a decorative image.
    public init?(_ image: DecodedImage, label: Text? = nil) {
        guard let cgImage = image.cgImage else { return nil }
        self.init(cgImage, scale: image.scale, label: label)
    }

    /// Creates a view of a bitmap. Shares the pixels.
    init?(_ bitmap: Bitmap, scale: Double, label: Text? = nil, profile: Data? = nil) {
        guard let cgImage = bitmap.cgImage(PixelDescription(profile: profile)) else { return nil }
        self.init(cgImage, scale: scale, label: label)
    }

    private init(_ cgImage: CGImage, scale: Double, label: Text?) {
        if let label {
            self.init(cgImage, scale: scale, orientation: .up, label: label)
        } else {
            self.init(decorative: cgImage, scale: scale, orientation: .up)
        }
    }
}
#endif
