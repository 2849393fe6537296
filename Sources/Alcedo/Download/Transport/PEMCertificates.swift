import Foundation

/// Reads the certificates in a PEM file.
enum PEMCertificates {
    private static let begin = "-----BEGIN CERTIFICATE-----"
    private static let end = "-----END CERTIFICATE-----"

    /// Returns the DER form of each certificate, in their order; nil if one of them is damaged. Other text is skipped.
    static func parse(_ file: Data) -> [Data]? {
        var certificates: [Data] = []
        /// The lines of the current certificate, in Base64; nil between certificates.
        var base64: [String]?
        for line in String(decoding: file, as: UTF8.self).split(whereSeparator: \.isNewline) {
            let line = line.trimmingCharacters(in: .whitespaces)
            switch (line, base64) {
            case (begin, nil): base64 = []
            case (end, let lines?):
                guard let certificate = Data(base64Encoded: lines.joined()), !certificate.isEmpty else { return nil }
                certificates.append(certificate)
                base64 = nil
            case (_, .some): base64?.append(line)
            case (_, nil): break
            }
        }
        return base64 == nil ? certificates : nil
    }
}
