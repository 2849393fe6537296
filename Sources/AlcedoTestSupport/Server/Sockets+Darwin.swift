#if canImport(Darwin)
import Darwin

extension Sockets {
    static let systemShutdownWrite = SHUT_WR

    static func streamSocket() -> Int32 { socket(AF_INET, SOCK_STREAM, 0) }

    static func loopbackAddress() -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    // The enclosing type has functions with the same names, so these need the module's name.
    static func systemListen(_ descriptor: Int32) -> Int32 { Darwin.listen(descriptor, 4096) }
    static func systemPipe(_ ends: inout [Int32]) -> Int32 { Darwin.pipe(&ends) }
    static func systemAccept(_ listener: Int32) -> Int32 { Darwin.accept(listener, nil, nil) }
    static func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
        Darwin.connect(descriptor, address, size)
    }
    static func systemClose(_ descriptor: Int32) { _ = Darwin.close(descriptor) }

    static func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        Darwin.send(descriptor, bytes.baseAddress, bytes.count, 0)
    }

    /// Suppresses SIGPIPE for the whole socket, because there is no flag for a single send.
    static func suppressSignal(_ descriptor: Int32) {
        setOption(descriptor, level: SOL_SOCKET, name: SO_NOSIGPIPE, value: Int32(1))
    }
}
#endif
