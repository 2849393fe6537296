import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension Sockets {
    /// A port of 127.0.0.1 that nobody listens on at this moment.
    static func freePort() throws(LoopbackServer.SetupError) -> Int {
        let (descriptor, port) = try listen()
        close(descriptor)
        return Int(port)
    }

    /// Waits until somebody listens on `port` of 127.0.0.1: false when `isAlive` says that nobody will, or after half a
    /// minute. Blocks its thread.
    static func awaitListener(_ port: Int, while isAlive: () -> Bool) -> Bool {
        for _ in 0..<10_000 {
            if connects(to: port) { return isAlive() }
            guard isAlive() else { return false }
            usleep(3_000)
        }
        return false
    }

    private static func connects(to port: Int) -> Bool {
        let descriptor = streamSocket()
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = loopbackAddress()
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }
}

extension URL {
    /// A URL of a server on 127.0.0.1; `path` begins with a slash.
    static func loopback(_ scheme: String, port: Int, _ path: String) -> URL {
        guard path.hasPrefix("/"), let url = URL(string: "\(scheme)://127.0.0.1:\(port)\(path)") else {
            preconditionFailure("\(path) is no path of a URL.")
        }
        return url
    }
}
