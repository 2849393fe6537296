extension ImageLoader.Configuration {
    /// The settings of previews of images that are being loaded, for readers of ``LoadTask/previews``.
    public struct Previews: Sendable, Hashable {
        /// The minimum time between two previews, and before the first one. At least zero. Default 200 ms.
        ///
        /// A preview that the image would replace within that time isn't made either.
        public var interval: Duration = .milliseconds(200)
        /// The maximum share of time spent on the previews of one image, since a reader first requested them. From 0,
        /// which makes none, to 1. Default 0.2.
        public var maximumTimeShare = 0.2
        /// The announced size in bytes below which bodies have no previews; the first preview of any body needs half as
        /// many received bytes. Default 32 KiB, which most connections deliver immediately.
        public var minimumBytes = 32 << 10
        /// The maximum memory in bytes for all previews being made. An image that needs more than is left has no
        /// previews. At least 0. Default 256 MiB.
        public var maximumMemoryBytes = 256 << 20

        /// Creates the default settings.
        public init() {}

        func validate() throws(ImageLoaderError) {
            try ImageLoaderError.require("previews.interval", interval, least: .zero)
            try ImageLoaderError.require("previews.maximumTimeShare", maximumTimeShare, least: 0, most: 1)
            try ImageLoaderError.require("previews.minimumBytes", minimumBytes, least: 0)
            try ImageLoaderError.require("previews.maximumMemoryBytes", maximumMemoryBytes, least: 0)
        }
    }
}
