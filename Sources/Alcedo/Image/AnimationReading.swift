public import Foundation

/// The frames of one animated file, as its decoder knows them without their pixels.
///
/// Holds the file's bytes, or whatever brings them again; the pixels are made by those it hands out.
public protocol AnimationReading: Sendable {
    /// Width and height of every frame, in pixels.
    var size: PixelSize { get }
    /// For how long each frame is shown, as the file says; one for each frame, of which there are at least two.
    var delays: [Duration] { get }
    /// How often they are shown.
    var loopCount: LoopCount { get }
    /// The memory it holds, in bytes: that of the file.
    var byteCount: Int { get }
    /// The whole file, if its bytes are at hand, so that a disk cache can keep them. Default: nil.
    var file: Data? { get }

    /// Something that makes the frames, from the first one on.
    func makeFrames() throws(ImageLoaderError) -> sending any FrameReading
}

extension AnimationReading {
    public var file: Data? { nil }
}

/// Makes the frames of an animation, one after the other. Is used by one thread at a time.
public protocol FrameReading {
    /// The next frame, all of it: composed with those before it and premultiplied. Is called as often as there are
    /// frames.
    ///
    /// - Throws: as ``ImageDecoding/decode(_:_:)``. What comes after a frame that can't be read is not asked for.
    mutating func next() throws(ImageLoaderError) -> Bitmap
}

/// How often the frames of an animation are shown.
public enum LoopCount: Sendable, Hashable {
    case forever
    /// So many times, at least 1.
    case times(Int)

    /// As most files have it: 0 is for ever.
    init(plays: Int) { self = plays == 0 ? .forever : .times(plays) }

    var plays: Int {
        switch self {
        case .forever: 0
        case .times(let times): times
        }
    }
}
