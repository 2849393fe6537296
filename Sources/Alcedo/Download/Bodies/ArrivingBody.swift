import Foundation

/// A body while it arrives: in memory, and in a file as soon as it is, or will be, large.
struct ArrivingBody: Sendable {
    /// The most capacity reserved for an announced length, in bytes. A longer body moves as it grows. A false length
    /// takes address space rather than memory, but that is limited as well.
    private static let mostReserved = 256 << 20

    private(set) var body = Body.memory(Data())
    /// Nil if the body stays in memory.
    private var place: BodyPlace?
    private var failure: FileError?

    init() {}

    /// - Parameters:
    ///   - start: The first bytes, if there are some already.
    ///   - expected: The announced length of the whole body in bytes.
    init(_ start: Body = .memory(Data()), expected: Int?, in place: BodyPlace?) {
        (body, self.place) = (start, place)
        if let expected, expected > place?.memoryLimit ?? .max { moveToFile() }
        if case .memory(var data) = body {
            // Reserved in one piece, so that the body never moves.
            body = .memory(Data())
            data.reserveCapacity(min(expected ?? 0, Self.mostReserved))
            body = .memory(data)
        }
    }

    var count: Int { body.count }

    /// The reason why a large body is in memory. Returned once.
    mutating func takeFailure() -> FileError? { failure.take() }

    /// Takes the next bytes. If their file can't be written, all are in memory from then on.
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
        // The only reference to the bytes, or they would be copied.
        body = .memory(Data())
        data.append(contentsOf: bytes)
        body = .memory(data)
    }

    /// Up to `count` bytes from `offset` on, copied.
    func bytes(from offset: Int, atMost count: Int) -> Data {
        let start = min(max(0, offset), self.count)
        let end = start + min(max(0, count), self.count - start)
        switch body {
        case .memory(let data): return data.withUnsafeBytes { Data($0[start..<end]) }
        case .file(let file):
            do throws(FileError) {
                return try file.read(from: start, to: end)
            } catch {
                // The preview ends here; the body goes on.
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
    /// The bytes, in memory if they can't be mapped. Blocks.
    func readWhole() throws(ImageLoaderError) -> Data {
        do throws(FileError) {
            return try read()
        } catch {
            throw .fileUnreadable(path: error.path, reason: error.reason)
        }
    }
}
