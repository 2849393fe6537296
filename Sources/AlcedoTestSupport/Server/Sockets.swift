#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The server's system calls. Descriptors are non-blocking, and errors are returned as values.
enum Sockets {
    enum Outcome {
        case bytes(Int)
        /// The call would block.
        case wouldBlock
        /// The other side closed the connection normally.
        case ended
        /// The connection is broken.
        case broken
    }

    enum Accepted {
        case connection(Int32)
        case none
        /// The process or the system is out of descriptors.
        case exhausted
    }

    /// A listening socket on 127.0.0.1 and the port assigned by the system.
    static func listen() throws(LoopbackServer.SetupError) -> (descriptor: Int32, port: UInt16) {
        let (descriptor, port) = try bound()
        guard systemListen(descriptor) == 0 else {
            let code = errno
            close(descriptor)
            throw .init(call: "listen", code: code)
        }
        return (descriptor, port)
    }

    /// A socket on 127.0.0.1 that doesn't listen, and the port assigned by the system.
    static func bound() throws(LoopbackServer.SetupError) -> (descriptor: Int32, port: UInt16) {
        let descriptor = streamSocket()
        guard descriptor >= 0 else { throw .init(call: "socket", code: errno) }
        do throws(LoopbackServer.SetupError) {
            var address = loopbackAddress()
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            let bound = withSocketAddress(&address) { bind(descriptor, $0, size) }
            guard bound == 0 else { throw .init(call: "bind", code: errno) }
            var length = size
            let named = withSocketAddress(&address) { getsockname(descriptor, $0, &length) }
            guard named == 0 else { throw .init(call: "getsockname", code: errno) }
            try prepare(descriptor)
            return (descriptor, UInt16(bigEndian: address.sin_port))
        } catch {
            close(descriptor)
            throw error
        }
    }

    /// Both ends of a pipe.
    static func pipe() throws(LoopbackServer.SetupError) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard systemPipe(&ends) == 0 else { throw .init(call: "pipe", code: errno) }
        do throws(LoopbackServer.SetupError) {
            try prepare(ends[0])
            try prepare(ends[1])
        } catch {
            close(ends[0])
            close(ends[1])
            throw error
        }
        return (ends[0], ends[1])
    }

    static func accept(_ listener: Int32) -> Accepted {
        while true {
            let descriptor = systemAccept(listener)
            if descriptor >= 0 {
                do throws(LoopbackServer.SetupError) {
                    try prepare(descriptor)
                    setOption(descriptor, level: Int32(IPPROTO_TCP), name: TCP_NODELAY, value: Int32(1))
                    suppressSignal(descriptor)
                    return .connection(descriptor)
                } catch {
                    close(descriptor)
                    continue
                }
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .exhausted
            default: return .none
            }
        }
    }

    static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .wouldBlock
            default: return .broken
            }
        }
    }

    static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Outcome {
        while true {
            let count = systemSend(descriptor, bytes)
            if count >= 0 { return .bytes(count) }
            switch errno {
            case EINTR: continue
            case EAGAIN, ENOBUFS: return .wouldBlock
            default: return .broken
            }
        }
    }

    /// Waits until one of `entries` is ready. `timeout` is in milliseconds; a negative one never expires.
    static func wait(_ entries: inout [pollfd], timeout: Int32) {
        // An interrupted or failed call leaves stale results, so they are cleared.
        if poll(&entries, nfds_t(entries.count), timeout) < 0 {
            for index in entries.indices { entries[index].revents = 0 }
        }
    }

    static func ring(_ pipe: Int32) {
        var byte: UInt8 = 1
        _ = write(pipe, &byte, 1)
    }

    static func drain(_ pipe: Int32) {
        var bytes: [UInt8] = Array(repeating: 0, count: 64)
        while read(pipe, &bytes, bytes.count) > 0 {}
    }

    /// Shuts down the sending direction. Pending data is delivered first.
    static func endSending(_ descriptor: Int32) {
        shutdown(descriptor, systemShutdownWrite)
    }

    static func close(_ descriptor: Int32) {
        systemClose(descriptor)
    }

    /// Closes with a reset instead of a normal close.
    static func reset(_ descriptor: Int32) {
        setOption(descriptor, level: SOL_SOCKET, name: SO_LINGER, value: linger(l_onoff: 1, l_linger: 0))
        close(descriptor)
    }

    // MARK: Details

    static func prepare(_ descriptor: Int32) throws(LoopbackServer.SetupError) {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) == 0,
            fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        else { throw .init(call: "fcntl", code: errno) }
    }

    static func setOption<Value: BitwiseCopyable>(_ descriptor: Int32, level: Int32, name: Int32, value: Value) {
        var value = value
        setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Value>.size))
    }

    private static func withSocketAddress(
        _ address: inout sockaddr_in, _ body: (UnsafeMutablePointer<sockaddr>) -> Int32
    ) -> Int32 {
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1, body)
        }
    }
}
