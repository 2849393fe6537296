import Foundation

/// Collects the parts of an ICC profile in a JPEG (ICC.1:2022, annex B.4).
///
/// A segment holds no more than 64 KiB, so a profile may be split; each part carries its number and the number of
/// parts.
struct ICCSegments {
    private static let name: StaticString = "ICC_PROFILE\0"

    /// The byte ranges of the parts, by number. A part with a different total, or a repeated number, invalidates the
    /// profile.
    private var parts: [Int: Range<Int>] = [:]
    private var count: Int?
    private var isSpoilt = false
    private var sum = 0

    /// Adds the segment if it is part of a profile.
    ///
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when the parts are too long in total.
    mutating func add(
        _ bytes: Span<UInt8>, from start: Int, to end: Int, limits: DecodeLimits
    ) throws(ImageLoaderError) {
        // Name (12 bytes), number starting at 1 (1), count (1).
        guard bytes.has(Self.name, at: start), let number = bytes.byte(at: start + 12),
            let claimed = bytes.byte(at: start + 13)
        else { return }
        let content = start + 14
        guard number >= 1, number <= claimed, content <= end, end <= bytes.count, parts[Int(number)] == nil,
            count == nil || count == Int(claimed)
        else {
            isSpoilt = true
            return
        }
        count = Int(claimed)
        parts[Int(number)] = content..<end
        sum += end - content
        try limits.check(metadataBytes: sum)
    }

    /// The length of the profile; nil when there is none or it is incomplete.
    var byteCount: Int? { isSpoilt || count == nil || parts.count != count || sum == 0 ? nil : sum }

    /// The profile, joined from its parts in `bytes`.
    func joined(in bytes: Span<UInt8>) -> Data? {
        guard let byteCount, let count else { return nil }
        var profile = Data(capacity: byteCount)
        for number in 1...count {
            guard let part = parts[number] else { return nil }
            bytes.extracting(part).withUnsafeBufferPointer { profile.append($0) }
        }
        return profile
    }
}
