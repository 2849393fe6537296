#if GIF
/// One image of a GIF, as the blocks before its pixels describe it. Small, as a file may have thousands.
struct GIFFrame: Sendable, Hashable {
    /// Its rectangle on the canvas, beyond which it may reach.
    var left: UInt16
    var top: UInt16
    var width: UInt16
    var height: UInt16
    /// Hundredths of a second.
    var delay: UInt16 = 0
    var disposal = Disposal.keep
    var isInterlaced = false
    /// The index that leaves a pixel as it was.
    var transparentIndex: UInt8?
    /// The palette has 2 to the power of so many colours of three bytes, which begin at `paletteOffset` of the file.
    var paletteBits: UInt8
    var paletteOffset: Int
    /// Where the LZW data begin: one byte with the bits of an index, and blocks.
    var dataOffset: Int

    /// What becomes of the canvas before the next image is drawn.
    enum Disposal: UInt8, Sendable { case keep, clear, restore }

    var size: PixelSize { PixelSize(width: Int(width), height: Int(height)) }

    /// Whether no pixel of a canvas of `canvas` is to be seen behind it; `indexBits` is what its data begin with.
    func covers(_ canvas: PixelSize, indexBits: UInt8) -> Bool {
        left == 0 && top == 0 && width >= canvas.width && height >= canvas.height && transparentIndex == nil
            && indexBits <= paletteBits
    }
}
#endif
