#if GIF || canImport(Darwin)
/// One image of a GIF, as described by the blocks before its pixels. It is small, because a file may have thousands.
struct GIFFrame: Sendable, Hashable {
    /// The image's rectangle, which may extend beyond the canvas.
    var left: UInt16
    var top: UInt16
    var width: UInt16
    var height: UInt16
    /// The frame's duration, in hundredths of a second.
    var delay: UInt16 = 0
    var disposal = Disposal.keep
    var isInterlaced = false
    /// The index that leaves a pixel unchanged.
    var transparentIndex: UInt8?
    /// The palette has 2 to the power of `paletteBits` colors of three bytes each, starting at `paletteOffset` in the
    /// file.
    var paletteBits: UInt8
    var paletteOffset: Int
    /// The offset of the LZW data: one byte with the number of bits per index, then blocks.
    var dataOffset: Int

    /// The change to the canvas before the next image is drawn.
    enum Disposal: UInt8, Sendable { case keep, clear, restore }

    var size: PixelSize { PixelSize(width: Int(width), height: Int(height)) }

    /// Whether the image hides everything on a canvas of size `canvas`; `indexBits` is the first byte of its data.
    func covers(_ canvas: PixelSize, indexBits: UInt8) -> Bool {
        left == 0 && top == 0 && width >= canvas.width && height >= canvas.height && transparentIndex == nil
            && indexBits <= paletteBits
    }
}
#endif
