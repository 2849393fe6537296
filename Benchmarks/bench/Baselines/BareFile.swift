import Foundation

/// A file accessed through system calls only: the minimum work of any disk cache.
struct BareFile: Sendable {
    /// The path as a C string, so that no call pays for the conversion.
    private let path: [CChar]

    init(path: String) {
        self.path = Array(path.utf8CString)
    }

    /// Opens the file, gets its size, reads it into a new buffer and closes it.
    func read() throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError.last("open") }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw SystemError.last("fstat") }
        let size = Int(status.st_size)
        return try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let got = Foundation.read(descriptor, buffer.baseAddress?.advanced(by: count), size - count)
                guard got > 0 else { throw SystemError.last("read") }
                count += got
            }
        }
    }

    /// Creates `temporary`, writes it and renames it to this file, without synchronizing anything to the disk.
    func replace(with bytes: [UInt8], by temporary: BareFile) throws {
        let descriptor = open(temporary.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw SystemError.last("open") }
        do {
            defer { close(descriptor) }
            try bytes.withUnsafeBytes { buffer in
                var rest = buffer[...]
                while !rest.isEmpty {
                    let written = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                    guard written > 0 else { throw SystemError.last("write") }
                    rest = rest.dropFirst(written)
                }
            }
        }
        guard rename(temporary.path, path) == 0 else { throw SystemError.last("rename") }
    }

    func remove() throws {
        guard unlink(path) == 0 else { throw SystemError.last("unlink") }
    }
}
