#if canImport(Glibc)
import Glibc

extension Sockets {
    static let systemShutdownWrite = Int32(SHUT_WR)

    static func streamSocket() -> Int32 { socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) }

    static func loopbackAddress() -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        return address
    }

    // The enclosing type has functions with the same names, so these need the module's name.
    static func systemListen(_ descriptor: Int32) -> Int32 { Glibc.listen(descriptor, 4096) }
    static func systemPipe(_ ends: inout [Int32]) -> Int32 { Glibc.pipe(&ends) }
    static func systemAccept(_ listener: Int32) -> Int32 { Glibc.accept(listener, nil, nil) }
    static func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
        Glibc.connect(descriptor, address, size)
    }
    static func systemClose(_ descriptor: Int32) { _ = Glibc.close(descriptor) }

    static func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
        Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    }

    /// Does nothing, because each send sets a flag instead.
    static func suppressSignal(_: Int32) {}
}
#endif
