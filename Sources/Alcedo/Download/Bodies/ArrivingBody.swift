import Foundation

/// A body that is still arriving. It is held in memory, or in a file once it is large or announced to be.
struct ArrivingBody: Sendable {
    /// The maximum capacity reserved for an announced length, in bytes. Longer bodies are moved as they grow. A false
    /// length would use address space rather than memory, but address space is limited, too.
    private static let mostReserved = 256 << 20

    private(set) var body = Body.memory(Data())
    /// The place of the file for a large body; nil if the body stays in memory.
    private var place: BodyPlace?
    private var failure: FileError?

    init() {}

    /// - Parameters:
    ///   - start: The first bytes, if any have arrived already.
    ///   - expected: The announced length of the whole body in bytes.
    init(_ start: Body = .memory(Data()), expected: Int?, in place: BodyPlace?) {
        (body, self.place) = (start, place)
        if let expected, expected > place?.memoryLimit ?? .max { moveToFile() }
        if case .memory(var data) = body {
            // Reserve the whole length, so that the body is never moved.
            body = .memory(Data())
            data.reserveCapacity(min(expected ?? 0, Self.mostReserved))
            body = .memory(data)
        }
    }

    var count: Int { body.count }

    /// The reason why a large body is in memory. Returned once.
    mutating func takeFailure() -> FileError? { failure.take() }

    /// Appends the next bytes. If the file can't be written, the whole body is in memory from then on.
    mutating func append(_ bytes: UnsafeRawBufferPointer) throws(ImageLoaderError) {
        if body.heldBytes + bytes.count > place?.memoryLimit ?? .max { moveToFile() }
        if case .file(let file) = body {
            do throws(FileError) {
                return try file.append(bytes)
            } catch {
                failure = error
            }
            place = nil
            body = .memory(try Body.file(file).readWhole())
        }
        guard case .memory(var data) = body else { return }
        // `data` must be the only reference to the bytes; otherwise, they would be copied.
        body = .memory(Data())
        data.append(contentsOf: bytes)
        body = .memory(data)
    }

    /// A copy of up to `count` bytes, starting at `offset`.
    func bytes(from offset: Int, atMost count: Int) -> Data {
        let start = min(max(0, offset), self.count)
        let end = start + min(max(0, count), self.count - start)
        switch body {
        case .memory(let data): return data.withUnsafeBytes { Data($0[start..<end]) }
        case .file(let file):
            do throws(FileError) {
                return try file.read(from: start, to: end)
            } catch {
                // Only the preview ends here; the body continues.
                return Data()
            }
        }
    }

    private mutating func moveToFile() {
        guard let place, case .memory(let data) = body else { return }
        do throws(FileError) {
            let file = try place.makeFile()
            try data.withUnsafeBytes { bytes in
                Result { () throws(FileError) in try file.append(bytes) }
            }.get()
            body = .file(file)
        } catch {
            (failure, self.place) = (error, nil)
        }
    }
}

extension Body {
    /// The bytes, mapped if possible, or else read into memory. Blocks.
    func readWhole() throws(ImageLoaderError) -> Data {
        do throws(FileError) {
            return try read()
        } catch {
            throw .fileUnreadable(path: error.path, reason: error.reason)
        }
    }
}
