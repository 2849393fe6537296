import Foundation

/// The parts of an ICC profile in a JPEG (ICC.1:2022, annex B.4): as a segment holds no more than 64 KiB, each part
/// says which one of how many it is.
struct ICCSegments {
    private static let name: StaticString = "ICC_PROFILE\0"

    /// Where the parts lie, by their numbers; those that count differently, or come twice, spoil it all.
    private var parts: [Int: Range<Int>] = [:]
    private var count: Int?
    private var isSpoilt = false
    private var sum = 0

    /// Takes the segment that lies there, if it is a part of a profile.
    ///
    /// - Throws: ``ImageLoaderError/limitExceeded(_:value:allowed:)`` when the parts are too long together.
    mutating func add(
        _ bytes: Span<UInt8>, from start: Int, to end: Int, limits: DecodeLimits
    ) throws(ImageLoaderError) {
        // Name (12), number from 1 on (1), count (1).
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

    /// The length of the profile; nil when there is none, or not all of it.
    var byteCount: Int? { isSpoilt || count == nil || parts.count != count || sum == 0 ? nil : sum }

    /// The profile, out of the bytes that its parts lie in.
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
