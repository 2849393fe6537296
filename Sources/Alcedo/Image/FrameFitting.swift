/// The steps applied to each frame of an animation before it is handed out: those of every image, and then processors.
struct FrameFitting: Sendable {
    /// Transforms a frame.
    typealias Step = @Sendable (Bitmap) throws(ImageLoaderError) -> Bitmap

    let picture: PictureFitting
    /// Width and height of the frames as handed out.
    private(set) var size: PixelSize
    private var steps: [Step] = []

    init(_ picture: PictureFitting) {
        self.picture = picture
        size = picture.size
    }

    /// Returns these steps with another one after them.
    func followed(by step: @escaping Step, size: PixelSize) -> FrameFitting {
        var longer = self
        longer.steps.append(step)
        longer.size = size
        return longer
    }

    /// Whether no step applies.
    var isEmpty: Bool { picture.isEmpty && steps.isEmpty }

    /// Whether no step applies, except perhaps turning the frames upright.
    var keepsFrames: Bool { picture.keepsSizeAndColors && steps.isEmpty }

    func apply(to stored: Bitmap) throws(ImageLoaderError) -> Bitmap {
        var picture = picture
        var frame = try picture.apply(to: stored)
        for step in steps { frame = try step(frame) }
        return frame
    }
}
