import Alcedo
import AlcedoTestSupport
import Foundation

/// The resources of a storm.
struct StormSite: Sendable {
    /// The result of a load: raw bytes, or an image, which its size identifies.
    enum Content: Equatable, CustomStringConvertible {
        case bytes(Data)
        case picture(PixelSize)

        var description: String {
            switch self {
            case .bytes(let data): "\(data.count) bytes"
            case .picture(let size): "\(size.width) × \(size.height) pixels"
            }
        }
    }

    /// More than there are callers, so that no two load the same resource at once.
    static let numbers = 1_024
    /// The last two never end.
    static let faultyPaths = ["whole", "picture", "chunked", "moved", "slow", "silent", "stuck"]

    let paths: [String]
    let url: @Sendable (String) -> URL

    init(paths: [String], url: @escaping @Sendable (String) -> URL) {
        self.paths = paths
        self.url = url
    }

    func resource(_ number: Int, mayHang: Bool, using random: inout SeededRandom) -> (URL, Content) {
        let number = number % Self.numbers
        let choices = mayHang ? paths.count : min(5, paths.count)
        let path = paths[Int.random(in: 0..<choices, using: &random)]
        let content = path == "picture" ? Content.picture(Self.size(number)) : .bytes(Self.body(number))
        return (url("/\(path)/\(number)"), content)
    }

    /// A slice of one block of noise: it costs nothing to make, and no two are equal.
    private static func body(_ number: Int) -> Data { noise[number..<(number + 1 + number * 37 % 30_000)] }

    private static let noise: Data = {
        var random = SeededRandom(seed: 1)
        return Data((0..<(numbers + 30_000)).map { _ in UInt8.random(in: 0...255, using: &random) })
    }()

    private static func size(_ number: Int) -> PixelSize { PixelSize(width: 1 + number % 32, height: 1 + number / 32) }

    /// PNG and JPEG files; empty if encoding fails, which fails the load.
    private static let pictures: [Data] = (0..<numbers).map { number in
        let size = size(number)
        let make = number.isMultiple(of: 2) ? Pictures.png : Pictures.jpeg
        return (try? make(size.width, size.height)) ?? Data()
    }

    static func reply(to request: LoopbackServer.RecordedRequest) -> LoopbackServer.Reply {
        let parts = request.path.split(separator: "/")
        guard parts.count == 2, let number = Int(parts[1]), number < numbers else { return .status(404) }
        let body = body(number)
        switch parts[0] {
        case "whole": return .bytes(body)
        case "picture": return .bytes(pictures[number])
        case "chunked": return .bytes(body).chunked(4_000)
        case "moved": return .redirect(to: request.target.hasSuffix("?on") ? "../whole/\(number)" : "\(number)?on")
        case "slow": return .bytes(body).dripping(1 + body.count / 4, every: .milliseconds(1))
        case "silent": return .bytes(body).stalling(.beforeHead)
        default: return .bytes(body).stalling(.afterBytes(body.count / 2))
        }
    }

    /// The files for a server that serves only complete files.
    static var files: [String: Data] {
        var files: [String: Data] = [:]
        for number in 0..<numbers {
            files["whole/\(number)"] = body(number)
            files["picture/\(number)"] = pictures[number]
        }
        return files
    }
}
