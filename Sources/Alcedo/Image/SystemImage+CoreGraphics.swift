#if canImport(CoreGraphics)
package import CoreGraphics
import Foundation
import Synchronization

/// The Core Graphics image of a bitmap, created when a view first needs it and then shared by all of them.
///
/// The system keeps what it prepares for the screen along with the image, so each view that made an image of its own
/// would have it prepared again.
struct SystemImage: ~Copyable, Sendable {
    private struct Made: Sendable {
        let image: CGImage
        let description: PixelDescription
    }

    private struct State: Sendable {
        /// Owns the memory from the first image on. Until then, it is the bitmap's alone.
        var pixels: SharedPixels?
        var made: Made?
    }

    private let state = Mutex(State())

    /// Returns the image of `bitmap`; a new one only if the last one had another description.
    func image(of bitmap: Bitmap, _ description: PixelDescription) -> CGImage? {
        // An image that is replaced is released after the lock.
        let (image, _) = state.withLock { state -> (CGImage?, Made?) in
            if let made = state.made, made.description == description { return (made.image, nil) }
            let pixels = state.pixels ?? SharedPixels(bitmap)
            state.pixels = pixels
            guard let image = pixels.image(description) else { return (nil, nil) }
            let last = state.made
            state.made = Made(image: image, description: description)
            return (image, last)
        }
        return image
    }

    /// Releases the memory of the bitmap, unless images own it, too.
    func releasePixels(_ base: UnsafeMutableRawPointer, _ byteCount: Int) {
        if state.withLock({ $0.pixels == nil }) { BitmapMemory.giveBack(base, byteCount) }
    }
}

extension Bitmap {
    /// Returns the pixels as a Core Graphics image, which copies nothing and is the same for the same description.
    ///
    /// Nil only when the system is out of memory.
    package func cgImage(_ description: PixelDescription) -> CGImage? { systemImage.image(of: self, description) }
}

/// The memory of a bitmap that images show. The bitmap holds its image, so an image can't hold the bitmap: both hold
/// this object, and the last one releases the memory.
///
/// Invariant: the bytes stay at one address and are never written again. The bitmap leaves it to this object to release
/// them, once, on whatever thread the last use ends.
private final class SharedPixels: Sendable {
    private let size: PixelSize
    private let bytesPerRow: Int
    private let byteCount: Int
    private let address: UInt

    init(_ bitmap: Bitmap) {
        size = bitmap.size
        bytesPerRow = bitmap.bytesPerRow
        byteCount = bitmap.byteCount
        address = bitmap.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    }

    deinit {
        if let base = UnsafeMutableRawPointer(bitPattern: address) { BitmapMemory.giveBack(base, byteCount) }
    }

    func image(_ description: PixelDescription) -> CGImage? {
        let own = description.profile.flatMap { CGColorSpace(iccData: $0 as CFData) }
        let colors = own?.model == .rgb ? own : CGColorSpace(name: CGColorSpace.sRGB)
        guard let colors, let provider = dataProvider else { return nil }
        let alpha: CGImageAlphaInfo = description.isOpaque ? .noneSkipLast : .premultipliedLast
        return CGImage(
            width: size.width, height: size.height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: bytesPerRow,
            space: colors, bitmapInfo: CGBitmapInfo(rawValue: alpha.rawValue), provider: provider, decode: nil,
            shouldInterpolate: true, intent: .defaultIntent)
    }

    /// A provider of the bytes that doesn't copy them. It holds one reference to this object, which `releaseData`
    /// releases.
    private var dataProvider: CGDataProvider? {
        guard let base = UnsafeRawPointer(bitPattern: address) else { return nil }
        let owner = Unmanaged.passRetained(self)
        let provider = CGDataProvider(dataInfo: owner.toOpaque(), data: base, size: byteCount) { owner, _, _ in
            guard let owner else { return }
            Unmanaged<SharedPixels>.fromOpaque(owner).release()
        }
        if provider == nil { owner.release() }
        return provider
    }
}
#endif
