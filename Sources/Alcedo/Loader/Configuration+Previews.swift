extension ImageLoader.Configuration {
    /// Previews of images that are being loaded, for readers of ``LoadTask/previews``.
    public struct Previews: Sendable, Hashable {
        /// The shortest time between two previews, and from the beginning to the first one. A preview that the image
        /// itself would replace within that time is not made either. At least 0. Default 200 ms.
        public var interval: Duration = .milliseconds(200)
        /// The time spent on the previews of one image, as a share of the time since they were first asked for; from 0,
        /// which makes none, to 1. Default 0.2.
        public var maximumTimeShare = 0.2
        /// Bodies with fewer bytes have no previews. Default 32 KiB, which most connections deliver at once.
        public var minimumBytes = 32 << 10
        /// Bytes of memory for all previews being made; an image that needs more than is left has none. At least 0.
        /// Default 256 MiB.
        public var maximumMemoryBytes = 256 << 20

        /// The defaults.
        public init() {}

        func validate() throws(ImageLoaderError) {
            try ImageLoaderError.require("previews.interval", interval, least: .zero)
            try ImageLoaderError.require("previews.maximumTimeShare", maximumTimeShare, least: 0, most: 1)
            try ImageLoaderError.require("previews.minimumBytes", minimumBytes, least: 0)
            try ImageLoaderError.require("previews.maximumMemoryBytes", maximumMemoryBytes, least: 0)
        }
    }
}
