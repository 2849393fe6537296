import Foundation

/// Reads the rest of `descriptor`; for pipes and `/proc`, whose sizes aren't known in advance.
func readToEnd(_ descriptor: Int32) throws -> [UInt8] {
    var contents: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while true {
        let count = read(descriptor, &chunk, chunk.count)
        if count < 0 {
            if errno == EINTR { continue }
            throw SystemError.last("read")
        }
        if count == 0 { return contents }
        contents += chunk[..<count]
    }
}

/// Reads a small text file.
func readText(_ path: String) throws -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw SystemError.last("open \(path)") }
    defer { close(descriptor) }
    return String(decoding: try readToEnd(descriptor), as: UTF8.self)
}
