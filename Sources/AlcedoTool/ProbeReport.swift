import Alcedo
import Foundation

/// The information about one URL, as it is printed.
struct ProbeReport: Encodable, Equatable {
    /// The freshness of the response.
    struct Use: Encodable, Equatable {
        var isFresh: Bool
        var basis: String
        var lifetimeSeconds: Int64
        var initialAgeSeconds: Int64
        var staleWhileRevalidateSeconds: Int64
        var staleIfErrorSeconds: Int64
        /// The time at which the response was received or last validated.
        var validated: String
        /// The time at which the response becomes stale; nil if it must always be revalidated.
        var end: String?
        var summary: String
        var whenStale: String?
    }

    /// The URL without secrets.
    var url: String
    var status: Int?
    var format: String?
    /// The size of the upright image.
    var width: Int?
    var height: Int?
    /// The number of frames; nil if it is unknown.
    var frames: Int?
    /// The orientation as an EXIF value.
    var orientation: UInt8?
    var bytes: Int?
    /// The metadata; nil if the file has none.
    var metadata: ProbeMetadata?
    /// The ThumbHash in Base64.
    var thumbHash: String?
    var source: String?
    /// For a response from the cache: whether the server has just confirmed it.
    var isConfirmed: Bool?
    /// The reason why a stale response was used.
    var staleReason: String?
    var freshness: Use?
    var error: String?
    /// The kind of the error: a raw value of `ImageLoaderError.Kind`.
    var errorKind: String?

    init(_ url: String, _ failure: ImageLoaderError) {
        self.url = ShownText.of(url: url)
        fail(failure)
    }

    /// - Parameters:
    ///   - header: The header of the image in the body, or the reason why the body isn't a usable image.
    ///   - isConfirmed: Whether the server was asked.
    ///   - now: The current time, in seconds since 1970.
    init(
        _ url: String, _ response: DataResponse, _ header: Result<ImageHeader, ImageLoaderError>, isConfirmed: Bool,
        at now: Int64
    ) {
        self.url = ShownText.of(url: url)
        status = response.head?.status
        bytes = response.data.count
        source = response.source.rawValue
        staleReason = response.staleReason?.rawValue
        if response.source == .disk { self.isConfirmed = isConfirmed && !response.isStale }
        if let freshness = response.freshness, let head = response.head {
            self.freshness = Use(freshness, FreshnessWords(freshness, of: head, at: now), at: now)
        }
        switch header {
        case .success(let header):
            format = header.format.rawValue
            (width, height) = (header.uprightSize.width, header.uprightSize.height)
            frames = header.frameCount
            orientation = header.orientation.rawValue
        case .failure(let failure): fail(failure)
        }
    }

    private mutating func fail(_ failure: ImageLoaderError) {
        error = ErrorText.of(failure)
        errorKind = failure.kind.rawValue
    }

    /// Adds a ThumbHash, or the reason why the image has none.
    mutating func add(_ thumbHash: Result<Data, ImageLoaderError>) {
        switch thumbHash {
        case .success(let hash): self.thumbHash = hash.base64EncodedString()
        case .failure(let failure): fail(failure)
        }
    }

    // MARK: For people

    /// The lines for people to read; empty if there was no response.
    var lines: [String] {
        guard let source, let bytes else { return [] }
        let orientation = orientation.flatMap(Orientation.init).map { "\($0.rawValue), \($0.words)" }
        let rows: [(String, String?)] =
            [
                ("status", status.map { "\($0)" }), ("source", words(for: source)), ("image", picture),
                ("orientation", orientation), ("bytes", ByteText.exact(bytes)), ("ThumbHash", thumbHash),
            ] + (metadata?.rows ?? []) + [("freshness", freshness?.summary), ("when stale", freshness?.whenStale)]
        let lines = rows.compactMap { label, text in
            // The width of the longest label, so that the texts of all URLs are aligned.
            text.map { "  " + label.padding(toLength: 13, withPad: " ", startingAt: 0) + $0 }
        }
        return ([url] + lines).map(OneLine.of)
    }

    private var picture: String {
        guard let format, let width, let height else { return error ?? "-" }
        let count =
            switch frames {
            case 1: ""
            case let frames?: ", \(frames) frames"
            case nil: ", number of frames unknown"
            }
        return "\(format), \(width) × \(height)\(count)"
    }

    private func words(for source: String) -> String {
        switch ImageSource(rawValue: source) {
        case .network: return "server"
        case .local: return "local"
        case .disk, .memory, nil: break
        }
        // A reason doesn't imply that the response is stale: the revalidation of a fresh one may have failed too.
        switch staleReason.flatMap(StaleReason.init) {
        case nil: return isConfirmed == true ? "cache, confirmed by the server" : "cache"
        case .whileRevalidating: return "cache, as stale-while-revalidate permits"
        case .afterError: return "cache, because the server failed or couldn't be reached"
        case .byPolicy: return "cache, because the server wasn't asked"
        case .accepted, .unconfirmed: return "cache, unconfirmed"
        }
    }
}

extension ProbeReport.Use {
    fileprivate init(_ freshness: Freshness, _ words: FreshnessWords, at now: Int64) {
        isFresh = freshness.isFresh(at: now)
        basis = freshness.basis.rawValue
        lifetimeSeconds = freshness.lifetime.components.seconds
        initialAgeSeconds = freshness.initialAge.components.seconds
        staleWhileRevalidateSeconds = freshness.staleWhileRevalidate.components.seconds
        staleIfErrorSeconds = freshness.staleIfError.components.seconds
        validated = CacheMoment.text(freshness.validated)
        if freshness.basis != .none { end = CacheMoment.text(freshness.end) }
        summary = words.summary
        whenStale = words.whenStale
    }
}

extension Orientation {
    /// Describes how the stored pixels are turned for display.
    fileprivate var words: String {
        switch self {
        case .up: "upright"
        case .upMirrored: "flipped left to right"
        case .down: "rotated 180°"
        case .downMirrored: "flipped top to bottom"
        case .leftMirrored: "flipped along the diagonal from the top left"
        case .right: "rotated 90° clockwise"
        case .rightMirrored: "flipped along the diagonal from the top right"
        case .left: "rotated 90° counterclockwise"
        }
    }
}
