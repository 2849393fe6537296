/// The previews of a ``LoadTask``; see ``LoadTask/previews``.
public struct ImagePreviews: AsyncSequence, Sendable {
    private let request: ImageRequest
    private let control: LoadControl
    private weak let makers: PreviewMakers?

    init(_ request: ImageRequest, _ control: LoadControl, _ makers: PreviewMakers?) {
        (self.request, self.control, self.makers) = (request, control, makers)
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(variant: ImageVariant(request), control: control, makers: makers)
    }

    /// Reads the previews of a ``LoadTask``. The iterator retains the decoder's progress.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let variant: ImageVariant
        fileprivate let control: LoadControl
        fileprivate weak let makers: PreviewMakers?
        /// The maker of the current transfer's previews, with the transfer's serial number.
        private var maker: (serial: UInt64, maker: PreviewMaker)?
        private var shown = 0
        /// The serial number of a transfer without further previews.
        private var done: UInt64 = 0

        fileprivate init(variant: ImageVariant, control: LoadControl, makers: PreviewMakers?) {
            (self.variant, self.control, self.makers) = (variant, control, makers)
        }

        /// Returns the next preview; nil when the load has ended, and when the calling Task is cancelled.
        public mutating func next() async -> ImagePreview? {
            while let transfer = await control.transfer(after: done), let makers {
                if maker?.serial != transfer.serial {
                    maker = (transfer.serial, makers.maker(of: transfer, variant))
                    shown = 0
                }
                if let made = await maker?.maker.next(after: shown, control) {
                    shown = made.number
                    return made.preview
                }
                // Another download attempt starts over.
                done = transfer.serial
                maker = nil
            }
            maker = nil
            return nil
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> ImagePreview? {
            await next()
        }
    }
}
