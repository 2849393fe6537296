/// The frames of an animation.
public final class AnimatedImage: Sendable {
    private let source: any AnimationReading
    private let fitting: PictureFitting

    init(_ source: any AnimationReading, _ fitting: PictureFitting) {
        self.source = source
        self.fitting = fitting
    }

    /// The memory it holds, in bytes.
    public var byteCount: Int { source.byteCount }
}
