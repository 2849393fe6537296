import Alcedo
import Foundation

/// The last line of the screen, which describes the selected image.
struct StatusLine: Equatable {
    /// The number of the selected image, counted from 1.
    var number: Int
    var count: Int
    var name: String
    /// The state, for example "jpeg, 640 × 480 · network · fresh for 4 min · 12.3 ms".
    var details: String
    /// Notes, for example "paused".
    var notes: [String] = []

    /// The list of keys.
    static let help =
        "arrows move · enter open · esc back · + - columns, zoom · r reload · p pause · q quit"

    /// The text, exactly as wide as the screen.
    func text(width: Int) -> String {
        let left = " \(number)/\(count) \(name) · \(details)"
        let right = notes.isEmpty ? "" : " " + notes.joined(separator: " · ") + " "
        let rightWidth = CellText.width(right)
        guard rightWidth < width / 2 else { return CellText.fitted(left, width: width) }
        return CellText.fitted(left, width: width - rightWidth) + right
    }

    /// Describes the state of a slot at a moment.
    @MainActor static func details(of slot: ImageSlot, at now: Date) -> String {
        switch slot.phase {
        case .empty: "not loaded"
        case .loading(let loading): Self.details(of: loading)
        case .success(let response): Self.details(of: response, at: now)
        case .failure(let error): Self.details(of: error)
        }
    }

    static func details(of error: ImageLoaderError) -> String { "failed: \(ErrorText.of(error))" }

    private static func details(of loading: ImageSlot.Loading) -> String {
        let received = ByteText.of(loading.receivedBytes)
        var text = "loading"
        if let expected = loading.expectedBytes {
            text += " \(received) of \(ByteText.of(expected))"
        } else if loading.receivedBytes > 0 {
            text += " \(received)"
        }
        guard let preview = loading.preview else { return text }
        if case .coarse(let pass) = preview.quality, preview.coverage >= 1 { return text + " · preview, pass \(pass)" }
        return text + " · preview, \(Int(preview.coverage * 100)) %"
    }

    static func details(of response: ImageResponse, at now: Date) -> String {
        let image = response.image
        var parts = ["\(image.format?.rawValue ?? "image"), \(text(of: image.originalSize))"]
        if let animation = image.animation { parts[0] += ", \(animation.frameCount) frames" }
        parts.append(response.source.rawValue)
        if let freshness = response.freshness { parts.append(text(of: freshness, response.isStale, at: now)) }
        parts.append(text(of: response.timings))
        return parts.joined(separator: " · ")
    }

    private static func text(of size: PixelSize) -> String { "\(size.width) × \(size.height)" }

    private static func text(of freshness: Freshness, _ isStale: Bool, at now: Date) -> String {
        if !isStale, freshness.isFresh(at: now) {
            return "fresh for \(DurationText.of(Int64(max(0, freshness.end.timeIntervalSince(now)))))"
        }
        return freshness.basis == .none ? "must be revalidated" : "stale"
    }

    private static func text(of timings: LoadTimings) -> String {
        let stages = [
            ("disk", timings.disk), ("download", timings.download), ("decode", timings.decode),
            ("process", timings.process),
        ].compactMap { name, time in time.map { "\(name) \(DurationText.of($0))" } }
        let total = DurationText.of(timings.total)
        return stages.isEmpty ? total : "\(total) (\(stages.joined(separator: ", ")))"
    }
}
