import Foundation

/// Sources that need no server: local files, data URLs, and bytes or images that the program provides.
struct LocalSources: Sendable {
    private let files: FileSystem
    /// Outside the cooperative pool, because reading files blocks, and decoding long data URLs takes time.
    private let workers: WorkerThreads
    private let rules: ResponseRules
    private let memory: ProcessMemory
    /// The network policy; nil if everything is allowed.
    private let network: NetworkRules?

    /// - Parameters:
    ///   - rules: The rules with the limit in bytes.
    ///   - memory: The memory of which the default limit is a share.
    init(
        _ rules: ResponseRules, network: NetworkRules? = nil, memory: ProcessMemory = .shared,
        files: FileSystem = FileSystem(followsLinks: true)
    ) {
        self.rules = rules
        self.memory = memory
        self.network = network
        self.files = files
        self.workers = WorkerThreads("local", count: 2)
    }

    /// Ends the threads until they are needed again.
    func rest() { workers.rest() }

    /// Returns the bytes or the image of `request`; nil if a server has them.
    func content(of request: ImageRequest) async throws(ImageLoaderError) -> ImageRequest.ProvidedSource.Content? {
        let bytes: Data
        switch request.source {
        case .provided(let provided):
            switch try await fetch(provided) {
            case .image(let image): return .image(image)
            case .bytes(let data): bytes = data
            }
        case .url(let url):
            switch url.scheme {
            case .file:
                try network?.check(url)
                bytes = try await read(url.filePath)
            case .data: bytes = try await decode(url.text)
            case .http, .https, .unusable: return nil
            }
        }
        if bytes.isEmpty { throw .emptyBody }
        return .bytes(bytes)
    }

    private var byteLimit: Int {
        get async throws(ImageLoaderError) {
            try await rules.limited(within: memory).maximumBytes ?? MemoryBudget.mostBodyBytes
        }
    }

    /// - Parameter path: The bytes of the file's path, which may not be valid UTF-8.
    private func read(_ path: [UInt8]) async throws(ImageLoaderError) -> Data {
        let byteLimit = try await byteLimit
        let read = await workers.runUnlessCancelled { [files] in
            Result { () throws(FileError) in try files.read(path, byteLimit: byteLimit) }
        }
        switch read {
        case nil:
            throw .cancelled
        case .success(let data):
            return data
        case .failure(let error):
            if let length = error.length { throw .limitExceeded(.inputBytes, value: length, allowed: byteLimit) }
            throw .fileUnreadable(path: error.path, reason: error.reason)
        }
    }

    private func decode(_ url: String) async throws(ImageLoaderError) -> Data {
        let byteLimit = try await byteLimit
        let decoded = await workers.runUnlessCancelled {
            Result { () throws(ImageLoaderError) in try DataURL(url, byteLimit: byteLimit).data }
        }
        guard let decoded else { throw .cancelled }
        return try decoded.get()
    }

    /// Runs the program's closure in a Task of its own. A cancelled caller leaves immediately, without waiting for the
    /// closure to notice.
    private func fetch(
        _ provided: ImageRequest.ProvidedSource
    ) async throws(ImageLoaderError) -> ImageRequest.ProvidedSource.Content {
        let byteLimit = try await byteLimit
        let reply = Promise<Result<ImageRequest.ProvidedSource.Content, ImageLoaderError>>()
        let task = Task {
            do {
                reply.end(.success(try await provided.fetch()))
            } catch {
                reply.end(.failure(.ofProgram(error) { .sourceFailed($0) }))
            }
        }
        let outcome = await reply.value {
            task.cancel()
            reply.end(.failure(.cancelled))
        }
        let content = try outcome.get()
        if case .bytes(let data) = content, data.count > byteLimit {
            throw .limitExceeded(.inputBytes, value: data.count, allowed: byteLimit)
        }
        return content
    }
}
