#if os(Linux) && Curl
import CCurl
import Foundation

/// Decides which addresses of a host curl may connect to. curl tries them until it has a connection.
struct CurlAddresses {
    private var refusal: ImageLoaderError?
    private var hasAllowed = false

    /// Whether `request` may connect to the address; false for nil.
    mutating func permit(_ address: NetworkAddress?, for request: DataRequest) -> Bool {
        do throws(ImageLoaderError) {
            guard let address else { return false }
            try request.requirePermission(toReach: address)
            hasAllowed = true
            return true
        } catch {
            refusal = error
            return false
        }
    }

    /// The error of a transfer that ended with `code` because each address was refused; nil for any other transfer.
    func refusal(_ code: CURLcode) -> ImageLoaderError? {
        code == CURLE_COULDNT_CONNECT && !hasAllowed ? refusal : nil
    }
}

extension CurlTransfer {
    /// Makes curl ask for permission before it connects to an address, and before it uses a connection, which may have
    /// been made for a request with another network policy.
    func watchConnections(on handle: CurlHandle, _ context: UnsafeMutableRawPointer) {
        handle.connections = turn.connections
        let isAsked = alcedo_curl_watch_connections(
            handle.easy,
            { context, _, place in
                guard let transfer = CurlTransfer.at(context), let place else { return CURL_SOCKET_BAD }
                return transfer.openSocket(place)
            },
            { context, text, _, port, localPort in
                guard let transfer = CurlTransfer.at(context), let text else { return CURL_PREREQFUNC_ABORT }
                let maySend = transfer.maySend(to: text, port, from: localPort)
                return maySend ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            }, context,
            { connections, socket in
                guard let connections else { return close(socket) }
                return Unmanaged<CurlConnections>.fromOpaque(connections).takeUnretainedValue().closeSocket(socket)
            }, Unmanaged.passUnretained(turn.connections).toOpaque())
        // An old libcurl can't ask about an existing connection, so it makes a new one.
        if CurlRoute(request).isChecked, isAsked == 0 { handle.set(CURLOPT_FRESH_CONNECT, 1) }
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
        context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func openSocket(_ place: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        if CurlRoute(request).isChecked {
            let address = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { bytes in
                bytes.initialize(repeating: 0)
                let count = alcedo_curl_address(place, bytes.baseAddress)
                return NetworkAddress(bytes.prefix(Int(count)))
            }
            guard addresses.permit(address, for: request) else { return CURL_SOCKET_BAD }
        }
        let socket = turn.connections.makeSocket(place.pointee)
        sockets.append(socket)
        return socket
    }

    private func maySend(to address: UnsafePointer<CChar>, _ port: Int32, from localPort: Int32) -> Bool {
        if CurlRoute(request).isChecked {
            var check = CurlAddresses()
            guard check.permit(NetworkAddress(text: address), for: request) else {
                refuse(check.refusal(CURLE_COULDNT_CONNECT))
                return false
            }
        }
        let ends = CurlConnections.Ends(address: String(cString: address), port: port, localPort: localPort)
        connection = turn.connections.connection(ends, among: sockets)
        return connection?.isClean ?? true
    }
}

extension NetworkAddress {
    /// Parses an address that curl has written as text; nil if the text isn't an address.
    fileprivate init?(text: UnsafePointer<CChar>) {
        var ipv4 = in_addr()
        var ipv6 = in6_addr()
        if inet_pton(AF_INET, text, &ipv4) == 1 {
            self.init(withUnsafeBytes(of: ipv4) { Array($0) })
        } else if inet_pton(AF_INET6, text, &ipv6) == 1 {
            self.init(withUnsafeBytes(of: ipv6) { Array($0) })
        } else {
            return nil
        }
    }
}
#endif
