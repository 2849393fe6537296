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
            if let descriptor = connect(to: port) {
                close(descriptor)
                return isAlive()
            }
            guard isAlive() else { return false }
            usleep(3_000)
        }
        return false
    }

    /// A connection to `port` of 127.0.0.1 that does not block, nil when nobody listens there. Blocks its thread while
    /// it is made.
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
    /// A URL of a server on 127.0.0.1; `path` begins with a slash.
    static func loopback(_ scheme: String, port: Int, _ path: String) -> URL {
        guard path.hasPrefix("/"), let url = URL(string: "\(scheme)://127.0.0.1:\(port)\(path)") else {
            preconditionFailure("\(path) is no path of a URL.")
        }
        return url
    }
}
