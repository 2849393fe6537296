import Foundation

/// Names the bytes that a server sends: what one download, one disk entry and all pictures made of them share.
package struct ResourceKey: Hashable, Sendable {
    /// The absolute URL without its fragment, which is never sent.
    package let text: String
    /// What else selects the bytes: method, header fields, body and credentials, written out; empty for a plain GET.
    package let selectors: String
    /// Computed once, as a key is looked up in several tables.
    package let prehash: UInt64

    package init(_ request: ImageRequest) {
        switch request.source {
        case .url(let url): self.init(text: url.absoluteString, selectors: request.selectors)
        // No URL begins with this.
        case .provided(let bytes): self.init(text: "\0" + bytes.id, selectors: request.selectors)
        }
    }

    /// The id of bytes that the program provides; nil for a URL.
    var providedID: String? { text.hasPrefix("\0") ? String(text.dropFirst()) : nil }

    package init(text: consuming String, selectors: consuming String = "") {
        // The program's own names may hold one, which ends nothing.
        if FastHash.contains(UInt8(ascii: "#"), in: text), !text.hasPrefix("\0") {
            text = String(text.prefix { $0 != "#" })
        }
        let prehash = FastHash.ofProcess(text)
        self.prehash = selectors.isEmpty ? prehash : prehash ^ FastHash.ofProcess(selectors)
        self.text = text
        self.selectors = selectors
    }

    /// The URL without the user name and the password before its host, and those, nil when it has none.
    package var splitUserInfo: (text: String, userInfo: String?) {
        guard FastHash.contains(UInt8(ascii: "@"), in: text), let mark = text.firstRange(of: "://") else {
            return (text, nil)
        }
        let authority = text[mark.upperBound...].prefix { !"/?".contains($0) }
        guard let at = authority.lastIndex(of: "@") else { return (text, nil) }
        return (String(text[..<mark.upperBound] + text[text.index(after: at)...]), String(authority[..<at]))
    }

    package static func == (left: Self, right: Self) -> Bool {
        // The hash alone would let someone who chooses URLs pass one picture off as another.
        left.prehash == right.prehash && left.text == right.text && left.selectors == right.selectors
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(prehash) }
}

/// Names a picture as it is handed out: what one memory entry is found by.
package struct ImageKey: PrehashedKey {
    package let resource: ResourceKey
    /// What is made of its bytes.
    package let variant: ImageVariant

    /// Whether anything is made of them.
    var hasVariant: Bool { variant != ImageVariant() }

    package init(_ request: ImageRequest) {
        if request.hasDefaultOptions {
            self.init(ResourceKey(request))
        } else {
            self.init(ResourceKey(request), ImageVariant(request))
        }
    }

    /// The key of a plain request.
    init(_ url: URL) {
        self.init(ResourceKey(text: url.absoluteString))
    }

    package init(_ resource: ResourceKey, _ variant: ImageVariant = ImageVariant()) {
        self.resource = resource
        self.variant = variant
    }

    package var prehash: UInt64 {
        guard let target = variant.target?.size else { return resource.prehash }
        return resource.prehash
            ^ UInt64(truncatingIfNeeded: target.width &* 0x9E37_79B1 &+ target.height &* 0x85EB_CA77)
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(prehash) }
}

/// What is made of the bytes of a picture: how large, and of which frames.
package struct ImageVariant: Hashable, Sendable {
    /// The room it is scaled for; nil leaves it as it is.
    package var target: DecodeTarget?
    package var frames = DecodeRequest.Frames.all
    package var convertsToSRGB = false

    /// The picture as it is.
    package init() {}

    init(_ request: ImageRequest) {
        target = request.targetSize.map { size in
            let mode = request.contentMode
            return DecodeTarget(
                request.roundsTargetSize ? size.rounded(for: mode) : size, mode: mode,
                allowsUpscaling: request.allowsUpscaling)
        }
        frames = request.frames
        convertsToSRGB = request.convertsToSRGB
    }

    package init(fitting size: PixelSize?) {
        target = size.map { DecodeTarget($0) }
    }

    /// Whether nothing is done to it.
    var isWhole: Bool { target == nil }

    /// Whether a picture of this form, handed out as large as it is, does for another that is asked for: it is of the
    /// same kind, and no smaller either way. What was cut serves no other.
    func serves(_ asked: ImageVariant) -> Bool {
        guard frames == asked.frames, convertsToSRGB == asked.convertsToSRGB, let other = asked.target else {
            return false
        }
        // As it is, it may be smaller than what is to be scaled up.
        guard let target else { return other.mode != .crop && !other.allowsUpscaling }
        return target.mode == other.mode && target.mode != .crop && target.allowsUpscaling == other.allowsUpscaling
            && target.size.width >= other.size.width && target.size.height >= other.size.height
    }

    /// What the bytes of such a picture are called by on disk; empty for one as it is.
    var text: String {
        guard let target else { return "" }
        let verb =
            switch target.mode {
            case .fit: "fitting"
            case .fill: "filling"
            case .crop: "cropped to"
            }
        return "\(verb) \(target.size.width)x\(target.size.height)" + (target.allowsUpscaling ? " upscaled" : "")
            + (frames == .first ? " first frame" : "") + (convertsToSRGB ? " in sRGB" : "")
    }
}

extension PixelSize {
    /// The nearest of the sizes that similar targets share, which are 8 pixels or about a sixteenth apart: the next
    /// smaller one for a picture that has to fit, the next larger one for a picture that has to fill. Sides below 1,
    /// which are refused, and sides below 8 that would round down to nothing stay as they are.
    func rounded(for mode: DecodeTarget.ContentMode) -> PixelSize {
        func rounded(_ side: Int) -> Int {
            if side < 1 { return side }
            let side = min(side, 1 << 24)
            let step = max(8, 1 << (side.bitWidth - 1 - side.leadingZeroBitCount - 4))
            if mode == .fit { return side < step ? side : side / step * step }
            return (side + step - 1) / step * step
        }
        return PixelSize(width: rounded(width), height: rounded(height))
    }
}

/// Names a piece of work that callers share: what one flight is found by. Whatever changes how it is loaded is part of
/// it, besides what is loaded.
package struct FlightKey<Key: Hashable & Sendable>: Hashable, Sendable {
    package let key: Key
    private let policy: CachePolicy
    /// A remembered failure ends other flights.
    private let asksAnew: Bool

    package init(_ key: Key, _ request: ImageRequest) {
        self.init(key, request.cachePolicy, asksAnew: request.asksAnew)
    }

    private init(_ key: Key, _ policy: CachePolicy, asksAnew: Bool) {
        self.key = key
        self.policy = policy
        self.asksAnew = asksAnew
    }

    /// All that there can be of `key`.
    static func all(of key: Key) -> [FlightKey] {
        CachePolicy.allCases.flatMap { policy in
            [FlightKey(key, policy, asksAnew: false), FlightKey(key, policy, asksAnew: true)]
        }
    }

    /// The rest differs seldom.
    package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension ImageRequest {
    /// Fields that only follow a request through the systems it passes.
    private static let tracingFields: Set = ["traceparent", "tracestate", "x-request-id"]

    /// What selects the bytes besides the source. Each value stands behind its length, so no two spell the same.
    fileprivate var selectors: String {
        if hasDefaultOptions { return "" }
        // So have most that only say how large the picture is to be.
        if method == .get, headers.fields.isEmpty, body == nil, credentials == nil { return "" }
        var lines: [String] = []
        func add(_ name: String, _ value: String) { lines.append("\(name) \(value.utf8.count) \(value)") }
        if method != .get { add("method", method.rawValue) }
        let fields = headers.fields.map { (name: $0.name.lowercased(), value: $0.value) }
        for field in fields.sorted(by: { $0.name < $1.name }) where !Self.tracingFields.contains(field.name) {
            add("field \(field.name)", field.value)
        }
        if let body { add("body", body.base64EncodedString()) }
        if let credentials {
            add("user", credentials.user)
            add("password", credentials.password)
        }
        return lines.joined(separator: "\n")
    }
}
