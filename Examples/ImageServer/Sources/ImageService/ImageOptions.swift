import Alcedo
import Foundation

/// The options in a path, such as `w:800,h:600,fit:crop,focus:attention,f:webp,q:80`; `-` for no options.
struct ImageOptions: Sendable {
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    private var size: PixelSize?
    private var mode = DecodeTarget.ContentMode.fit
    private var anchor = CropAnchor.center
    /// The format; nil for the best one that the client accepts.
    private(set) var format: ImageFormat?
    private var quality: Int?

    init(_ text: String, maximumSide: Int) throws(Problem) {
        var (width, height) = (Int?.none, Int?.none)
        for option in text == "-" ? [] : text.split(separator: ",", omittingEmptySubsequences: false) {
            let parts = option.split(separator: ":", maxSplits: 1).map(String.init)
            guard parts.count == 2 else { throw Self.unusable(option) }
            switch parts[0] {
            case "w": width = try Self.number(parts[1], 1...maximumSide, option)
            case "h": height = try Self.number(parts[1], 1...maximumSide, option)
            case "q": quality = try Self.number(parts[1], 1...100, option)
            case "fit":
                guard let value = DecodeTarget.ContentMode(rawValue: parts[1]) else { throw Self.unusable(option) }
                mode = value
            case "focus": anchor = try Self.anchor(parts[1], option)
            case "f":
                format = Self.formats[parts[1]]
                // This build may have no encoder for the format.
                guard let format, AutomaticEncoder(format: format) != nil else { throw Self.unusable(option) }
            default: throw Self.unusable(option)
            }
        }
        if mode != .fit, width == nil || height == nil {
            throw Problem(description: "fit:\(mode) needs a width and a height")
        }
        if width != nil || height != nil { size = PixelSize(width: width ?? .max, height: height ?? .max) }
    }

    func request(for source: URL) -> ImageRequest {
        var request = ImageRequest(url: source)
        request.targetSize = size
        request.contentMode = mode
        request.cropAnchor = anchor
        return request
    }

    /// - Parameter accept: The client's `Accept` field.
    func encoder(accept: String) -> AutomaticEncoder {
        format.flatMap { AutomaticEncoder(format: $0, quality: quality) }
            ?? AutomaticEncoder(accept: accept, quality: quality)
    }

    private static let formats: [String: ImageFormat] = [
        "avif": .avif, "gif": .gif, "jpeg": .jpeg, "png": .png, "webp": .webp,
    ]

    private static func number(
        _ text: String, _ range: ClosedRange<Int>, _ option: Substring
    ) throws(Problem) -> Int {
        guard let number = Int(text), range.contains(number) else { throw unusable(option) }
        return number
    }

    private static func anchor(_ text: String, _ option: Substring) throws(Problem) -> CropAnchor {
        if text == "attention" { return .attention }
        if let place = PixelAnchor(rawValue: text) { return .place(place) }
        let parts = text.split(separator: "x", omittingEmptySubsequences: false).map { Double($0) ?? .nan }
        guard parts.count == 2, parts.allSatisfy((0...1).contains) else { throw unusable(option) }
        return .focus(x: parts[0], y: parts[1])
    }

    private static func unusable(_ option: some StringProtocol) -> Problem {
        Problem(description: "the option \"\(option)\" can't be used")
    }
}
