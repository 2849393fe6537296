import Alcedo

extension ImageFormat {
    /// The decoder that this build has for the format, whichever library it uses.
    func decoder() throws(ImageLoaderError) -> any ImageDecoding {
        guard let decoder = ImageDecoders.builtIn.decoders.first(where: { $0.format == self }) else {
            throw .unsupportedFormat(self)
        }
        return decoder
    }
}
