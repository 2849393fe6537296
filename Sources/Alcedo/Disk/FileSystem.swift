package import Foundation

/// The file operations of the disk store. They block, and are made on ``WorkerThreads`` only.
package protocol FileSystem: Sendable {
    /// The bytes of a regular file; a symbolic link is refused.
    func read(_ path: String, byteLimit: Int) throws(FileError) -> Data
    /// Makes a new file of `parts`, one after the other, readable by its owner only.
    func create(_ path: String, _ parts: [Data]) throws(FileError)
    /// Puts a file in another's place in one step.
    func rename(_ path: String, to newPath: String) throws(FileError)
    func remove(_ path: String) throws(FileError)
    /// Makes a directory and those above it, open to its owner only.
    func createDirectory(_ path: String) throws(FileError)
    /// The regular files of a directory.
    func list(_ path: String) throws(FileError) -> [FileEntry]
}

package struct FileEntry: Sendable, Hashable {
    package var name: String
    /// Length in bytes.
    package var length: Int
    /// Seconds since 1970.
    package var modified: Int

    package init(name: String, length: Int, modified: Int) {
        self.name = name
        self.length = length
        self.modified = modified
    }
}

/// A system call that failed.
package struct FileError: Error, Sendable, Hashable {
    package var call: String
    package var path: String
    /// The call's `errno`.
    package var code: Int32
    package var reason: String
    /// The length of a file that is longer than was to be read.
    package var length: Int?

    package init(call: String, path: String, code: Int32) {
        self.init(call: call, path: path, code: code, reason: String(cString: strerror(code)))
    }

    package init(call: String, path: String, code: Int32, reason: String) {
        self.call = call
        self.path = path
        self.code = code
        self.reason = reason
    }

    package var isNotFound: Bool { code == ENOENT }
}
