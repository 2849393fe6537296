import AlcedoTestSupport
import Foundation

/// Requests for 10,000 images whose popularity falls with the 0.9th power of their rank, as in a busy program.
struct ZipfLoad: Sendable {
    static let callers = 64
    private static let pictures = 10_000
    /// The number of images that the memory cache holds.
    static let held = pictures / 10

    /// The URL of each request, in order.
    let urls: [URL]
    /// The number of different images.
    let distinctCount: Int

    init(requests: Int) throws {
        let pictures = try (0..<Self.pictures).map {
            try Scripted.url("photos/\($0)/large.jpg?width=1080&format=auto")
        }
        var random = SeededRandom(seed: 7)
        let ranks = ZipfRanks(count: pictures.count, exponent: 0.9)
        let places = Array(pictures.indices).shuffled(using: &random)
        let draws = (0..<requests).map { _ in places[ranks.rank(at: Double.random(in: 0..<1, using: &random))] }
        urls = draws.map { pictures[$0] }
        distinctCount = Set(draws).count
    }
}
