import Foundation

/// Files of this machine, read on threads beside the cooperative pool.
struct LocalFiles: Sendable {
    private let files: any FileSystem
    private let workers: WorkerThreads
    private let byteLimit: Int

    /// - Parameter byteLimit: bytes of the largest file.
    init(byteLimit: Int, files: any FileSystem = PosixFileSystem(followsLinks: true)) {
        self.byteLimit = byteLimit
        self.files = files
        self.workers = WorkerThreads("local", count: 2)
    }

    func read(_ url: URL) async throws(ImageLoaderError) -> Data {
        let path = url.path
        let read = await workers.runUnlessCancelled { [files, byteLimit] in
            Result { () throws(FileError) in try files.read(path, byteLimit: byteLimit) }
        }
        switch read {
        case nil:
            throw .cancelled
        case .success(let data):
            if data.isEmpty { throw .emptyBody }
            return data
        case .failure(let error):
            if let length = error.length { throw .limitExceeded(.inputBytes, value: length, allowed: byteLimit) }
            throw .fileUnreadable(path: path, reason: error.reason)
        }
    }
}
