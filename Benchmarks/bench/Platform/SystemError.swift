import Foundation

/// A system call that failed.
struct SystemError: Error, CustomStringConvertible {
    let call: String
    let code: Int32

    /// The error of the call that just failed on this thread.
    static func last(_ call: String) -> SystemError {
        SystemError(call: call, code: errno)
    }

    var description: String { "\(call): \(String(cString: strerror(code)))" }
}
