import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

extension Sockets {
    /// A port of 127.0.0.1 that currently has no listener.
    static func freePort() throws(LoopbackServer.SetupError) -> Int {
        let (descriptor, port) = try listen()
        close(descriptor)
        return Int(port)
    }

    /// Waits until `port` of 127.0.0.1 has a listener.
    ///
    /// Returns false if `isAlive` returns false, or after half a minute. Blocks the calling thread.
    static func awaitListener(_ port: Int, while isAlive: () -> Bool) -> Bool {
        for _ in 0..<10_000 {
            if let descriptor = connect(to: port) {
                close(descriptor)
                return isAlive()
            }
            guard isAlive() else { return false }
            usleep(3_000)
        }
        return false
    }

    /// A non-blocking connection to `port` of 127.0.0.1; nil if there is no listener. Blocks the calling thread while
    /// connecting.
    static func connect(to port: Int) -> Int32? {
        let descriptor = streamSocket()
        guard descriptor >= 0 else { return nil }
        var address = loopbackAddress()
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                systemConnect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            close(descriptor)
            return nil
        }
        do throws(LoopbackServer.SetupError) {
            try prepare(descriptor)
        } catch {
            close(descriptor)
            return nil
        }
        suppressSignal(descriptor)
        return descriptor
    }
}

extension URL {
    /// The URL of a server on 127.0.0.1. `path` begins with a slash.
    static func loopback(_ scheme: String, port: Int, _ path: String) -> URL {
        guard path.hasPrefix("/"), let url = URL(string: "\(scheme)://127.0.0.1:\(port)\(path)") else {
            preconditionFailure("\(path) is no path of a URL.")
        }
        return url
    }
}
