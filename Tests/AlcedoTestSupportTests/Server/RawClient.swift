import Foundation
import Testing

@testable import AlcedoTestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A client that says and hears bytes. Its calls block, each on a thread of its own.
struct RawClient: Sendable {
    enum End: Equatable { case closed, reset, open }

    struct Failure: Error {
        let call: String
        let code: Int32
    }

    private let descriptor: Int32

    /// A blocking connection; a read gives up after 30 s, so that a silent server fails a test instead of hanging it.
    init(port: Int) throws {
        descriptor = Sockets.streamSocket()
        guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
        Sockets.setOption(descriptor, level: SOL_SOCKET, name: SO_RCVTIMEO, value: timeval(tv_sec: 30, tv_usec: 0))
        var address = Sockets.loopbackAddress()
        address.sin_port = UInt16(port).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let code = errno
            Sockets.close(descriptor)
            throw Failure(call: "connect", code: code)
        }
        Sockets.suppressSignal(descriptor)
    }

    // MARK: Calls that block

    /// Sends as much as the server takes.
    func send(_ bytes: some Sequence<UInt8>) {
        let bytes = Array(bytes)
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let slice = UnsafeRawBufferPointer(rebasing: rest)
                guard case .bytes(let count) = Sockets.send(descriptor, slice) else { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    func get(_ target: String, method: String = "GET", _ fields: String...) {
        send("\(method) \(target) HTTP/1.1\r\nHost: test\r\n\(fields.map { "\($0)\r\n" }.joined())\r\n".utf8)
    }

    /// Reads until `isEnough`, or until the connection ends.
    func read(until isEnough: (Data) -> Bool) -> (bytes: Data, end: End) {
        var bytes = Data()
        return withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 1) { buffer in
            while !isEnough(bytes) {
                switch Sockets.receive(descriptor, into: buffer) {
                case .bytes(let count): bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                case .ended: return (bytes, .closed)
                case .broken: return (bytes, .reset)
                case .wouldBlock:
                    Issue.record("The server was silent until the client gave up.")
                    return (bytes, .open)
                }
            }
            return (bytes, .open)
        }
    }

    func readToEnd() -> (bytes: Data, end: End) { read { _ in false } }

    /// Reads until `text` has come.
    func read(through text: String) -> String {
        String(decoding: read { $0.range(of: Data(text.utf8)) != nil }.bytes, as: UTF8.self)
    }

    func close() { Sockets.close(descriptor) }

    func reset() { Sockets.reset(descriptor) }
}

/// Runs `body`, which may block, on a thread of its own.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        let thread = Thread { continuation.resume(with: Swift.Result { try body() }) }
        thread.stackSize = 512 << 10
        thread.start()
    }
}

/// Sends one request on a connection of its own and reads until the server ends it.
func exchange(_ server: LoopbackServer, _ target: String, method: String = "GET") async throws
    -> (text: String, end: RawClient.End)
{
    let port = server.port
    return try await onThread {
        let client = try RawClient(port: port)
        defer { client.close() }
        client.get(target, method: method, "Connection: close")
        let (bytes, end) = client.readToEnd()
        return (String(decoding: bytes, as: UTF8.self), end)
    }
}
