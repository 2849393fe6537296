import AlcedoTestSupport
import Foundation

/// Generated traces, the same for the same seed.
///
/// Sizes are log-normal, like those of images on the web: the median is 200 KB, and one in six exceeds 800 KB.
enum GeneratedTraces {
    static let names = ["zipf", "feed", "scan", "loop"]

    /// - Parameter name: One of `names`.
    static func make(_ name: String, seed: UInt64 = 1) -> Trace {
        var maker = TraceMaker(seed: seed)
        switch name {
        case "zipf": zipf(&maker)
        case "feed": feed(&maker)
        case "scan": scan(&maker)
        default: loop(&maker)
        }
        return maker.trace(named: name)
    }

    /// 200,000 requests for 20,000 photos, whose popularity falls with the 0.9th power of their rank.
    private static func zipf(_ maker: inout TraceMaker) {
        let photos = maker.objects(20_000)
        let ranks = ZipfRanks(count: photos.count, exponent: 0.9)
        for _ in 0..<200_000 { maker.request(photos[maker.rank(ranks)]) }
    }

    /// Like `zipf` with 5,000 photos, but after every 10,000 requests, 2,000 photos scroll past that never occur again.
    private static func scan(_ maker: inout TraceMaker) {
        let photos = maker.objects(5_000)
        let ranks = ZipfRanks(count: photos.count, exponent: 0.9)
        for _ in 0..<15 {
            for _ in 0..<10_000 { maker.request(photos[maker.rank(ranks)]) }
            for photo in maker.objects(2_000) { maker.request(photo) }
        }
    }

    /// 2,000 photos, requested repeatedly in the same order.
    private static func loop(_ maker: inout TraceMaker) {
        let photos = maker.objects(2_000)
        for _ in 0..<50 { for photo in photos { maker.request(photo) } }
    }

    /// 600 visits to a feed that has a few new posts on top each time.
    ///
    /// A visit scrolls down for a while, and now and then some way back up. A post shows its author's avatar and a
    /// photo. One post in 20 is opened to show a large photo.
    private static func feed(_ maker: inout TraceMaker) {
        let avatars = maker.objects(3_000, median: 36_000, spread: 0.3)
        let authors = ZipfRanks(count: avatars.count, exponent: 0.8)
        var posts: [(avatar: Int, photo: Int, large: Int?)] = []
        func show(_ place: Int) {
            maker.request(posts[place].avatar)
            maker.request(posts[place].photo)
            guard maker.chance(of: 20) else { return }
            let large = posts[place].large ?? maker.object(median: 1_600_000, spread: 0.7)
            posts[place].large = large
            maker.request(large)
        }
        for _ in 0..<600 {
            for _ in 0..<(posts.isEmpty ? 200 : 15 + maker.number(below: 30)) {
                posts.append((avatars[maker.rank(authors)], maker.object(), nil))
            }
            var place = posts.count - 1
            while place > 0, !maker.chance(of: 100) {
                show(place)
                place -= 1
                if maker.chance(of: 25) { place = min(posts.count - 1, place + 1 + maker.number(below: 20)) }
            }
        }
    }
}

/// Collects the requests and sizes of a trace.
private struct TraceMaker {
    private var random: SeededRandom
    private var requests: [Int] = []
    private var sizes: [Int] = []

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    func trace(named name: String) -> Trace { Trace(name: name, requests: requests, sizes: sizes) }

    mutating func request(_ object: Int) { requests.append(object) }

    mutating func number(below limit: Int) -> Int { Int(random.next() % UInt64(limit)) }

    mutating func chance(of count: Int) -> Bool { number(below: count) == 0 }

    mutating func rank(_ ranks: ZipfRanks) -> Int { ranks.rank(at: uniform()) }

    mutating func objects(_ count: Int, median: Double = 200_000, spread: Double = 1.4) -> [Int] {
        (0..<count).map { _ in object(median: median, spread: spread) }
    }

    /// A new object, whose size is drawn from a log-normal distribution and clamped to 4 KB...16 MB.
    mutating func object(median: Double = 200_000, spread: Double = 1.4) -> Int {
        // The Box–Muller transform gives a normal distribution.
        let normal = (-2 * log(1 - uniform())).squareRoot() * cos(2 * .pi * uniform())
        sizes.append(Int(min(16_000_000, max(4_000, median * exp(spread * normal)))))
        return sizes.count - 1
    }

    /// A random number in 0..<1.
    private mutating func uniform() -> Double { Double(random.next() >> 11) / Double(1 << 53) }
}
