/// The end of a flight: the result for its waiters, and the work that remains once they have it.
struct Landing: Sendable {
    typealias Work = @Sendable () async -> Void

    let loaded: LoadedImage
    let afterwards: Work?

    init(_ loaded: LoadedImage, afterwards: Work? = nil) {
        self.loaded = loaded
        self.afterwards = afterwards
    }
}
