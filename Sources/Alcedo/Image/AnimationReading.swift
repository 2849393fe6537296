public import Foundation

/// The frames of an animated file, before any pixels are decoded.
///
/// Holds the file's bytes, or can get them again. The ``FrameReading`` values that it creates decode the pixels.
public protocol AnimationReading: Sendable {
    /// Width and height of every frame, in pixels.
    var size: PixelSize { get }
    /// The display time of each frame according to the file. There are at least two frames.
    var delays: [Duration] { get }
    /// The number of times that the animation plays.
    var loopCount: LoopCount { get }
    /// The complete file, if its bytes are in memory. They count as the animation's memory, and a disk cache can store
    /// them. Default: nil.
    var file: Data? { get }

    /// Creates a reader that starts at the first frame.
    func makeFrames() throws(ImageLoaderError) -> sending any FrameReading
}

extension AnimationReading {
    public var file: Data? { nil }
}

/// Decodes the frames of an animation in order.
///
/// Used by one thread at a time.
public protocol FrameReading {
    /// Decodes the next frame completely: composed with the frames before it, and premultiplied.
    ///
    /// Called at most once per frame.
    ///
    /// - Throws: as ``ImageDecoding/decode(_:_:)``. After an error, no further frames are requested from this reader.
    mutating func next() throws(ImageLoaderError) -> Bitmap
}

/// The number of times that an animation plays.
public enum LoopCount: Sendable, Hashable {
    case forever
    /// A number of times, at least 1.
    case times(Int)

    /// Most formats store 0 for an endless loop.
    init(plays: Int) { self = plays == 0 ? .forever : .times(plays) }

    var plays: Int {
        switch self {
        case .forever: 0
        case .times(let times): times
        }
    }
}
