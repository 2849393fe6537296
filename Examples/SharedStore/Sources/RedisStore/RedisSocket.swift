import Foundation

/// A connected socket. Its calls block until their deadline.
final class RedisSocket {
    private let descriptor: Int32
    private var buffer = [UInt8](repeating: 0, count: 64 << 10)

    /// Connects.
    init(_ address: RedisStore.Address, by deadline: ContinuousClock.Instant) throws(RedisError) {
        switch address {
        case .socket(let path):
            var name = sockaddr_un()
            name.sun_family = sa_family_t(AF_UNIX)
            guard path.utf8.count < MemoryLayout.size(ofValue: name.sun_path) else {
                throw .system(call: "connect", code: ENAMETOOLONG)
            }
            withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
            descriptor = try Self.open(AF_UNIX)
            try join(&name, by: deadline)
        case .port(let port, let host):
            // An address in numbers, because resolving a name has no deadline.
            var name = sockaddr_in()
            name.sin_family = sa_family_t(AF_INET)
            name.sin_port = port.bigEndian
            guard inet_pton(AF_INET, host, &name.sin_addr) == 1 else {
                throw .system(call: "inet_pton", code: EINVAL)
            }
            descriptor = try Self.open(AF_INET)
            try join(&name, by: deadline)
        }
    }

    deinit { close(descriptor) }

    private static func open(_ family: Int32) throws(RedisError) -> Int32 {
        let descriptor = socket(family, streamType, 0)
        guard descriptor >= 0 else { throw .system(call: "socket", code: errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        suppressSignal(descriptor)
        return descriptor
    }

    private func join<Name>(_ name: inout Name, by deadline: ContinuousClock.Instant) throws(RedisError) {
        let status = withUnsafeBytes(of: &name) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) {
                connect(descriptor, $0.baseAddress, socklen_t(MemoryLayout<Name>.size))
            }
        }
        if status == 0 { return }
        guard errno == EINPROGRESS else { throw .system(call: "connect", code: errno) }
        try wait(for: POLLOUT, by: deadline)
        var (code, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) == 0, code == 0 else {
            throw .system(call: "connect", code: code)
        }
    }

    private func wait(for event: Int32, by deadline: ContinuousClock.Instant) throws(RedisError) {
        var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        while true {
            let left = ContinuousClock.now.duration(to: deadline)
            guard left > .zero else { throw .timeout }
            let count = poll(&entry, 1, Int32(clamping: Int64(left / .milliseconds(1)) + 1))
            if count > 0 { return }
            if count < 0, errno != EINTR { throw .system(call: "poll", code: errno) }
        }
    }

    func write(_ bytes: Data, by deadline: ContinuousClock.Instant) throws(RedisError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, sendFlags) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                try wait(for: POLLOUT, by: deadline)
            } else if errno != EINTR {
                throw .system(call: "send", code: errno)
            }
        }
    }

    /// Returns some bytes, at least one.
    func read(by deadline: ContinuousClock.Instant) throws(RedisError) -> ArraySlice<UInt8> {
        while true {
            let count = buffer.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            if count > 0 { return buffer.prefix(count) }
            if count == 0 { throw .closed }
            if errno == EAGAIN || errno == EWOULDBLOCK {
                try wait(for: POLLIN, by: deadline)
            } else if errno != EINTR {
                throw .system(call: "recv", code: errno)
            }
        }
    }
}

#if canImport(Glibc)
private let streamType = Int32(SOCK_STREAM.rawValue)
private let sendFlags = Int32(MSG_NOSIGNAL)
private func suppressSignal(_ descriptor: Int32) {}
#else
private let streamType = SOCK_STREAM
private let sendFlags: Int32 = 0
private func suppressSignal(_ descriptor: Int32) {
    var isOn: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
}
#endif
