extension ImageLoader.Configuration {
    /// Previews of pictures that are being loaded, for those who read ``LoadTask/previews``.
    public struct Previews: Sendable, Hashable {
        /// The least time from one preview to the next, and from the beginning to the first. What would be replaced by
        /// the picture itself within that time is not made either. Default 200 ms.
        public var interval: Duration = .milliseconds(200)
        /// The time that is spent on the previews of one picture, as a share of the time that has passed since they
        /// were first asked for; 0 makes none. Default a fifth.
        public var costShare = 0.2
        /// Pictures of fewer bytes have no previews. Default 32 KiB, which most connections bring at once.
        public var smallestBody = 32 << 10
        /// Memory of all previews in the making, in bytes; a picture that needs more than is left has none. Default
        /// 256 MiB.
        public var memoryLimit = 256 << 20

        /// The defaults.
        public init() {}
    }
}
