import Foundation

/// An image loading library, with its default settings but without a disk cache.
protocol Peer: Sendable {
    /// Loads an image, and stores it in memory.
    func load(_ url: URL) async throws

    /// Whether an image is in memory; takes it from there.
    func isInMemory(_ url: URL) -> Bool

    /// Loads a photo from a file and reduces it, without the memory cache.
    func reduce(_ file: URL, to pixels: Int) async throws
}
