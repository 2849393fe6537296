import Alcedo
import Foundation

/// Describes how long a response may be used, why, and what is permitted afterwards.
struct FreshnessWords {
    private let freshness: Freshness
    private let headers: HTTPHeaders
    private let status: Int
    /// The current time, in seconds since 1970.
    private let now: Int64
    private let control: CacheControl?

    /// - Parameters:
    ///   - head: The response that the freshness was computed from.
    ///   - now: The current time, in seconds since 1970.
    init(_ freshness: Freshness, of head: ResponseHead, at now: Int64) {
        self.freshness = freshness
        headers = head.headers
        status = head.status
        self.now = now
        control = head.headers["Cache-Control"].map { CacheControl($0, status: head.status) }
    }

    /// For example "fresh for 3 h 12 min: max-age=14400 less age 2880".
    var summary: String {
        if freshness.basis == .none { return refusal }
        if freshness.isFresh(at: now) { return "fresh for \(DurationText.of(freshness.endSecond - now)): \(reason)" }
        if now < freshness.endSecond {
            return "must be revalidated: it was received in the future, so the clock was set back"
        }
        // A response without a lifetime is stale as soon as it has arrived.
        let time = staleTime == 0 ? "from now on" : "for \(DurationText.of(staleTime))"
        return "stale \(time): \(reason)"
    }

    /// Describes how the response may be used once it is stale, or from now on if it is stale already. Nil if
    /// ``summary`` says that it must always be revalidated.
    var whenStale: String? {
        if freshness.basis == .none || !freshness.isPlausible(at: now) { return nil }
        let windows = (freshness.staleWhileRevalidate.components.seconds, freshness.staleIfError.components.seconds)
        let another = staleTime > 0 ? "another " : ""
        var uses: [String] = []
        if windows.0 > staleTime {
            uses.append("for \(another)\(DurationText.of(windows.0 - staleTime)) while it is revalidated")
        }
        if windows.1 > staleTime {
            let origin = control?.staleIfError == nil ? " (the default)" : ""
            uses.append("for \(another)\(DurationText.of(windows.1 - staleTime)) if the server fails\(origin)")
        }
        if !uses.isEmpty { return "may be used " + uses.joined(separator: ", and ") }
        if control?.mustRevalidate == true { return "must be revalidated: must-revalidate" }
        let isOver = max(windows.0, windows.1) > 0
        return isOver ? "must be revalidated: the time for stale use is over" : "must be revalidated"
    }

    /// Zero while the response is fresh.
    private var staleTime: Int64 { max(0, now - freshness.endSecond) }

    /// The reason why the response is never used without revalidation.
    private var refusal: String {
        if control?.forbidsStoring == true { return "must not be stored: no-store" }
        let always = "must be revalidated each time"
        if control?.isComplete == false { return "\(always): Cache-Control has too many directives to read" }
        if control?.forbidsReuse == true { return "\(always): no-cache" }
        if headers["Vary"]?.contains("*") == true { return "\(always): it varies by everything (Vary: *)" }
        return "\(always): the response names no lifetime, and there is no default for status \(status)"
    }

    /// The reason for the lifetime.
    private var reason: String {
        let age = freshness.initialAge.components.seconds
        let lessAge = age > 0 ? ", less an age of \(DurationText.of(age))" : ""
        if freshness.endsWithRedirect { return "limited by a redirect to it" }
        switch freshness.basis {
        case .maxAge:
            return "max-age=\(control?.maxAge ?? 0)" + (age > 0 ? " less age \(age)" : "")
        case .expires: return expires + lessAge
        case .lastModified:
            let limit = lifetime >= Self.longestGuess ? ", at most \(DurationText.of(Self.longestGuess))" : ""
            return "a tenth of the time since Last-Modified" + limit + lessAge
        case .assumed: return "the response names no lifetime, so the default applies" + lessAge
        case .none: return refusal
        }
    }

    private var expires: String {
        guard HTTPDate(headers["Expires"] ?? "", now: now) != nil else { return "Expires isn't a date" }
        let start = headers["Date"] == nil ? "its arrival" : "Date"
        if lifetime == 0 { return "Expires isn't later than \(start)" }
        return "Expires is \(DurationText.of(lifetime)) after \(start)"
    }

    private var lifetime: Int64 { freshness.lifetime.components.seconds }

    /// The longest lifetime that the library derives from Last-Modified.
    private static let longestGuess: Int64 = 7 * 86_400
}
