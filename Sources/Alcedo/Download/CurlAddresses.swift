#if os(Linux) && Curl
import CCurl
import Foundation

/// The decisions about the addresses of a host, which curl tries until it has a connection.
struct CurlAddresses {
    private var refusal: ImageLoaderError?
    private var hasAllowed = false

    /// Whether `request` may connect to the address; false if it has none.
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

    /// The error of a transfer that ended with `code` because each address was refused; nil for any other.
    func refusal(_ code: CURLcode) -> ImageLoaderError? {
        code == CURLE_COULDNT_CONNECT && !hasAllowed ? refusal : nil
    }
}

extension CurlTransfer {
    /// Makes curl ask for each address that it is about to connect to, and for that of each connection that it is about
    /// to use. The latter may have been made for a request with another policy.
    func checkAddresses(on handle: CurlHandle, _ context: UnsafeMutableRawPointer) {
        alcedo_curl_check_addresses(
            handle.easy,
            { context, _, place in
                guard let transfer = CurlTransfer.at(context), let place else { return CURL_SOCKET_BAD }
                let address = withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 16) { bytes in
                    bytes.initialize(repeating: 0)
                    let count = alcedo_curl_address(place, bytes.baseAddress)
                    return NetworkAddress(bytes.prefix(Int(count)))
                }
                let mayConnect = transfer.addresses.permit(address, for: transfer.request)
                guard mayConnect else { return CURL_SOCKET_BAD }
                // O_CLOEXEC is SOCK_CLOEXEC.
                return socket(place.pointee.family, place.pointee.socktype | O_CLOEXEC, place.pointee.protocol)
            },
            { context, text, _, _, _ in
                guard let transfer = CurlTransfer.at(context), let text else { return CURL_PREREQFUNC_ABORT }
                return transfer.maySend(to: NetworkAddress(text: text)) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
            }, context)
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
        context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
    }

    private func maySend(to address: NetworkAddress?) -> Bool {
        var check = CurlAddresses()
        let maySend = check.permit(address, for: request)
        if !maySend { refuse(check.refusal(CURLE_COULDNT_CONNECT)) }
        return maySend
    }
}

extension NetworkAddress {
    /// The address that curl writes as text; nil if it is none.
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
