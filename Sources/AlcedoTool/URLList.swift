import Alcedo
import Foundation

/// The URLs in a text, one per line. Blank lines and lines that begin with "#" are ignored.
struct URLList {
    /// Each URL once, in order.
    private(set) var requests: [ImageRequest] = []
    /// The lines that aren't valid URLs or paths.
    private(set) var problems: [(text: String, error: ImageLoaderError)] = []

    init(_ list: Data) {
        var seen: Set<URL> = []
        for line in Self.lines(of: list) {
            do throws(ImageLoaderError) {
                let request = try ImageRequest(ArgumentText.percentEncoded(line))
                guard let url = request.url else { continue }
                guard let scheme = url.scheme, ["http", "https"].contains(scheme) else {
                    throw .unsupportedScheme(url.scheme ?? "")
                }
                if seen.insert(url).inserted { requests.append(request) }
            } catch {
                problems.append((line, error))
            }
        }
    }

    /// The lines of a list that aren't blank and don't begin with "#". Like arguments, they needn't be UTF-8.
    static func lines(of list: Data) -> [String] {
        list.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }.flatMap {
            ArgumentText.text($0).split(whereSeparator: \.isNewline)
        }.map {
            String($0.trimmingPrefix("\u{FEFF}")).trimmingCharacters(in: .whitespaces)
        }.filter { !$0.isEmpty && !$0.hasPrefix("#") }
    }

    /// The input isn't text.
    struct NoText: Error, CustomStringConvertible {
        var description: String { "not a list of URLs" }
    }

    /// Reads a file, or standard input for "-", up to its end.
    ///
    /// The read happens on a thread, because a read from a terminal or pipe can't be cancelled. If the caller is
    /// cancelled, this function returns immediately.
    static func read(_ path: String) async throws -> Data {
        let (chunks, continuation) = AsyncThrowingStream.makeStream(of: Data.self)
        let thread = Thread {
            let descriptor = path == "-" ? STDIN_FILENO : open(ArgumentText.path(path), O_RDONLY | O_CLOEXEC)
            if descriptor < 0 { return continuation.finish(throwing: systemError()) }
            defer { if path != "-" { close(descriptor) } }
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = Foundation.read(descriptor, &buffer, buffer.count)
                if count > 0 {
                    continuation.yield(Data(buffer[..<count]))
                } else if count == 0 {
                    return continuation.finish()
                } else if errno != EINTR {
                    return continuation.finish(throwing: systemError())
                }
            }
        }
        thread.start()
        var text = Data()
        for try await chunk in chunks {
            text += chunk
            if text.count > maximumBytes { throw POSIXError(.EFBIG) }
            // Binary data, such as an image, would otherwise be printed as errors.
            if chunk.contains(0) { throw NoText() }
        }
        return text
    }

    private static func systemError() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    /// Enough for several million URLs. Endless input is an error.
    private static let maximumBytes = 256 << 20
}
