/// The numbers of the experiment with loaders behind a caching proxy.
enum ServerSideSetting {
    static let pictures = 1_000
    /// The number of images on a page, which are requested at the same time.
    static let picturesPerPage = 10
    static let pages = 1_000
    static var requests: Int { pages * picturesPerPage }
    /// The number of pages that are loaded after a machine is lost.
    static let laterPages = 400
    static let processes = 4
    static let exponent = 0.9
    /// The number of seconds for which the origin lets caches use an image.
    static let lifetime = 20
    /// The pages per second of all processes together, chosen so that the pages take three lifetimes.
    static var pagesPerSecond: Double { Double(pages) / Double(3 * lifetime) }
    /// The number of images that each process has in memory: a tenth of all.
    static let imagesInMemory = pictures / 10
}
