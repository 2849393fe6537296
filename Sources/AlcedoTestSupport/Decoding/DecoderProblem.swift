/// What a decoder does otherwise than ``Alcedo/ImageDecoding`` asks.
public struct DecoderProblem: Sendable, Hashable, CustomStringConvertible {
    /// What a decoder has to keep.
    public enum Rule: String, Sendable, Hashable, CaseIterable {
        /// The file is of the decoder's format, and so are the header and the picture.
        case format
        /// The header says what the decode brings: its size, and no transparency where it denies any.
        case header
        /// Colours are premultiplied: none is greater than its alpha.
        case premultiplication
        /// The picture is turned upright once, or not at all when that is asked for.
        case orientation
        /// The picture is as large as the target says, and knows how large it was.
        case target
        /// What breaks a limit is refused, and the error names the limit and both figures.
        case limits
        /// A part of a file is no picture, unless all of the picture is in it, and the error has a reason. A GIF may
        /// end behind any of its images.
        case truncation
        /// A damaged file is an error with a reason or a picture of the size that its header tells.
        case damage
        /// Nothing is decoded for somebody who has cancelled.
        case cancellation
        /// The same bytes are the same picture, at once on several threads too.
        case repetition
        /// Data may begin at any index.
        case slices
        /// The first frame alone has no animation, and an animation begins with it.
        case frames
        /// What it takes is counted: at least the bitmap that comes out.
        case workingBytes
    }

    /// What was not kept.
    public let rule: Rule
    /// How that showed.
    public let detail: String

    public var description: String { "\(rule.rawValue): \(detail)" }
}
