import Foundation

/// The claims of an ICC profile's header (ICC.1:2022, section 7.2).
struct ProfileHeader {
    /// The colours that the profile is for.
    enum Space { case rgb, grey, inks, other }

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
            ? .rgb : bytes.has("GRAY", at: 16) ? .grey : bytes.has("CMYK", at: 16) ? .inks : .other
    }
}

extension Data {
    /// This ICC profile of decoded pixels; nil if its header says that it is for colours other than `spaces`.
    func profile(of spaces: [ProfileHeader.Space]) -> Data? {
        ProfileHeader(self).map { spaces.contains($0.space) } ?? true ? self : nil
    }
}
