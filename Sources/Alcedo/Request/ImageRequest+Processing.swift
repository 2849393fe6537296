// What is made of the decoded image.

extension ImageRequest {
    /// What is made of the decoded image, in order, after the loader's own processors. Default: none.
    ///
    /// Each result is cached by the processors that made it and their parameters. Requests that begin with the same
    /// processors share what these make while they are being loaded. With ``targetSize``, the image is scaled before it
    /// is processed. Previews aren't processed.
    public var processors: [any ImageProcessing] {
        get { options?.values.processing?.processors ?? [] }
        set { change { $0.processing = ProcessingChain(newValue) } }
    }

    /// Whether the processors include the loader's own.
    var hasCommonProcessors: Bool { options?.values.hasCommonProcessors ?? false }

    /// The request for what the last of these processors is given.
    ///
    /// - Parameter chain: Those of the request and its loader.
    func forInput(of chain: ProcessingChain) -> ImageRequest {
        var request = self
        request.change { ($0.processing, $0.hasCommonProcessors) = (chain.input, true) }
        return request
    }
}
