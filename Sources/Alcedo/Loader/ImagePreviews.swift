/// The previews of a ``LoadTask``: see ``LoadTask/previews``.
public struct ImagePreviews: AsyncSequence, Sendable {
    private let request: ImageRequest
    private let control: LoadControl

    init(_ request: ImageRequest, _ control: LoadControl) {
        self.request = request
        self.control = control
    }

    public func makeAsyncIterator() -> Iterator { Iterator(form: PictureForm(request), control: control) }

    /// Reads the previews of a ``LoadTask``. What has been decoded so far is kept as long as it is.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let form: PictureForm
        fileprivate let control: LoadControl
        /// Of the transfer with that serial number, and the last one of its previews that was read.
        private var maker: (serial: UInt64, maker: PreviewMaker)?
        private var shown = 0
        /// The serial number of a transfer that brings no more.
        private var done: UInt64 = 0

        fileprivate init(form: PictureForm, control: LoadControl) {
            self.form = form
            self.control = control
        }

        /// The next preview; nil when the load is over, and when the calling Task is cancelled.
        public mutating func next() async -> ImagePreview? {
            while let transfer = await control.transfer(after: done), let makers = control.previews {
                if maker?.serial != transfer.serial {
                    maker = (transfer.serial, makers.maker(of: transfer, form))
                    shown = 0
                }
                if let made = await maker?.maker.next(after: shown, control) {
                    shown = made.number
                    return made.preview
                }
                // Another attempt begins anew.
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
