#if !canImport(CoreGraphics)
/// Stands for the image of Core Graphics where there is none. Takes no memory.
struct SystemImage: Sendable {
    /// Releases the memory of the bitmap, which is its only owner here.
    func releasePixels(_ base: UnsafeMutableRawPointer, _ byteCount: Int) { BitmapMemory.giveBack(base, byteCount) }
}
#endif
