/// A way in which a decoder violates the requirements of `ImageDecoding`.
public struct DecoderProblem: Sendable, Hashable, CustomStringConvertible {
    /// The requirements that are checked.
    public enum Rule: String, Sendable, Hashable, CaseIterable {
        /// The file, the header and the image have the decoder's format.
        case format
        /// The header agrees with the decode: its size, and no transparency if it says there is none.
        case header
        /// Colors are premultiplied: no component is greater than its alpha.
        case premultiplication
        /// The image is turned upright once, or not at all if the request says so.
        case orientation
        /// The image has the size that the target asks for, and reports its original size.
        case target
        /// Input that exceeds a limit is refused, and the error names the limit and both figures.
        case limits
        /// A partial file doesn't decode unless it contains the whole image, and the error has a reason. A GIF may end
        /// after any of its images.
        case truncation
        /// A damaged file gives an error with a reason, or an image of the size in its header.
        case damage
        /// Nothing is decoded for a cancelled caller.
        case cancellation
        /// The same bytes give the same image, even when several threads decode them simultaneously.
        case repetition
        /// Data may begin at any index.
        case slices
        /// Decoding only the first frame gives no animation, and an animation begins with that frame.
        case frames
        /// The reported working memory is at least the size of the resulting bitmap.
        case workingBytes
    }

    /// The violated requirement.
    public let rule: Rule
    /// A description of the violation.
    public let detail: String

    public var description: String { "\(rule.rawValue): \(detail)" }
}
