#if canImport(Darwin)
import Foundation

extension URL {
    /// Reads a file with certificates, of at most 4 MiB.
    ///
    /// - Parameter name: The contents of the file, for the error.
    /// - Throws: ``ImageLoaderError/unsupportedConfiguration(_:)``.
    func readCertificates(_ name: String) throws(ImageLoaderError) -> Data {
        let limit = 4 << 20
        do throws(FileError) {
            guard isFileURL else { throw FileError(call: "open", path: path, code: EINVAL) }
            return try FileSystem(followsLinks: true).read(path, byteLimit: limit)
        } catch {
            let problem = error.length == nil ? "can't be read" : "is larger than \(limit) bytes"
            throw .unsupportedConfiguration("the file of the \(name), \(path), \(problem)")
        }
    }
}
#endif
