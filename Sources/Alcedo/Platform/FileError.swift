import Foundation

/// A failed system call.
package struct FileError: Error, Sendable, Hashable {
    package var call: String
    package var path: String
    /// The call's `errno`.
    package var code: Int32
    package var reason: String
    /// The length of a file that exceeds the limit for reading it.
    package var length: Int?
}

extension FileError {
    package init(call: String, path: String, code: Int32) {
        self.init(call: call, path: path, code: code, reason: String(cString: strerror(code)))
    }

    /// Creates the error of a call that has just failed.
    init(_ call: SystemCall, _ path: String) { self.init(call: call.rawValue, path: path, code: errno) }

    /// - Parameter other: The error that prevented the removal of a file afterwards; nil for none.
    func adding(_ other: FileError?) -> FileError {
        var error = self
        if let other { error.reason += ", and \(other.path) stays: \(other.reason)" }
        return error
    }

    package var isNotFound: Bool { code == ENOENT }

    /// Whether the name belongs to something other than a regular file: a link, a directory, a pipe.
    var isNoFile: Bool { code == ELOOP || code == ENXIO || code == EINVAL && call == "open" }
}
