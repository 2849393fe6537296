/// The numbers of the experiment with loaders behind a caching proxy.
enum ServerSideSetting {
    static let pictures = 1_000
    /// Pictures of a page, which are requested at the same time.
    static let picturesPerPage = 10
    static let pages = 1_000
    static var requests: Int { pages * picturesPerPage }
    /// Pages after a machine is lost.
    static let laterPages = 400
    static let processes = 4
    static let exponent = 0.9
    /// Seconds for which the origin lets caches use a picture.
    static let lifetime = 20
    /// Pages per second, of all processes together, so that the pages take three lifetimes.
    static var pagesPerSecond: Double { Double(pages) / Double(3 * lifetime) }
    /// Images that each process has in memory: a tenth of all.
    static let imagesInMemory = pictures / 10
}
