#if os(Linux)
import Foundation

/// Reads the system's small files below /proc and /sys. They report a length of zero and are generated when read.
enum SystemFile {
    /// Enough for several thousand mounts.
    private static let byteLimit = 4 << 20

    /// The full text of the file at `path`, or nil when it can't be read. Never waits.
    static func text(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return text(of: file)
    }

    /// The full text of an open file from its beginning, regardless of earlier reads; nil when it can't be read.
    static func text(of file: Int32) -> String? {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16 << 10)
        while bytes.count < byteLimit {
            let count = pread(file, &part, part.count, off_t(bytes.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            if count == 0 { break }
            bytes += part[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
#endif
