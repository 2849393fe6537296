import Foundation

/// The header of an ICC profile (ICC.1:2022, section 7.2), which isn't verified.
struct ProfileHeader {
    /// The color space of the profile.
    enum Space { case rgb, gray, inks, other }

    let space: Space
    /// The length of the whole profile in bytes.
    let length: Int

    /// Returns nil for bytes that don't begin with such a header.
    init?(_ profile: Data) {
        let bytes = profile.span
        guard bytes.count >= 128, bytes.has("acsp", at: 36), let length = bytes.long(at: 0) else { return nil }
        self.length = length
        space =
            bytes.has("RGB ", at: 16)
            ? .rgb : bytes.has("GRAY", at: 16) ? .gray : bytes.has("CMYK", at: 16) ? .inks : .other
    }
}

extension Data {
    /// Returns this ICC profile of decoded pixels; nil if its header states a color space that isn't one of `spaces`.
    func profile(of spaces: [ProfileHeader.Space]) -> Data? {
        ProfileHeader(self).map { spaces.contains($0.space) } ?? true ? self : nil
    }
}
