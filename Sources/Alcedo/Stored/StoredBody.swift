public import Foundation

/// The bytes to be stored: in memory, or in a file if there are many.
public struct StoredBody: Sendable {
    let content: Body

    package init(_ content: Body) { self.content = content }

    /// Creates a body from bytes in memory.
    public init(_ data: Data) { content = .memory(data) }

    /// The number of bytes.
    public var count: Int { content.count }

    /// The bytes.
    ///
    /// Bytes in a file are mapped or else read, on a thread for file operations. Cancelling doesn't shorten the wait.
    /// - Throws: ``ImageLoaderError/fileUnreadable(path:reason:)``.
    public var data: Data {
        get async throws(ImageLoaderError) {
            if case .memory(let data) = content { return data }
            let read = await BodyFile.threads.run { [content] in
                Result { () throws(FileError) in try content.read() }
            }
            return try read.mapError { ImageLoaderError.fileUnreadable(path: $0.path, reason: $0.reason) }.get()
        }
    }

    /// Writes the bytes into a new file, or over the contents of an existing one.
    ///
    /// The file appears once it is complete. It is written on a thread for file operations. Cancelling doesn't shorten
    /// the wait.
    /// - Throws: ``ImageLoaderError/storeFailed(_:)``.
    public func write(to file: URL) async throws(ImageLoaderError) {
        let written = await BodyFile.threads.run { [content] in
            Result { try content.read().write(to: file, options: .atomic) }
        }
        try written.mapError { ImageLoaderError.storeFailed(UnderlyingError($0)) }.get()
    }
}
