import Foundation

/// Formats byte counts for people.
enum ByteText {
    static func of(_ bytes: Int) -> String {
        switch bytes {
        case ..<1_000: "\(bytes) B"
        case ..<1_000_000: String(format: "%.0f KB", Double(bytes) / 1e3)
        case ..<1_000_000_000: String(format: "%.1f MB", Double(bytes) / 1e6)
        default: String(format: "%.2f GB", Double(bytes) / 1e9)
        }
    }

    /// Returns the exact number, followed by a short form if that is easier to read.
    static func exact(_ bytes: Int) -> String { bytes < 1_000 ? "\(bytes)" : "\(bytes) (\(of(bytes)))" }
}
