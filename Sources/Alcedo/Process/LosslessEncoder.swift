#if canImport(ImageIO) || os(Linux) && PNG
/// Writes what is to be decoded again without loss; nil where nothing does.
let losslessEncoder: (any ImageEncoding)? = PNGEncoder()
#else
/// Writes what is to be decoded again without loss; nil where nothing does.
let losslessEncoder: (any ImageEncoding)? = nil
#endif
