#if os(Linux) && Curl
import AlcedoTestSupport
import CCurl
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The decisions about the addresses that a host's name has, one of curl's transfers at a time.
@Suite(.timeLimit(.minutes(1))) struct CurlAddressesTests {
    private static let (public4, loopback4, private4): ([UInt8], [UInt8], [UInt8]) = (
        [8, 8, 8, 8], [127, 0, 0, 1], [10, 0, 0, 1]
    )
    private static let public6: [UInt8] = [0x26, 6, 0x47, 0] + Array(repeating: 0, count: 12)
    /// An address without bytes isn't one of IP.
    private static let unknown: [UInt8] = []

    private func request(_ policy: NetworkPolicy, port: Int = 80) throws -> DataRequest {
        let url = try #require(URL(string: "http://images.test:\(port)/a"))
        var request = DataRequest(url: url, idleTimeout: .seconds(3_600))
        request.network = NetworkRules(policy)
        return request
    }

    private func refusal(_ reason: String) -> ImageLoaderError {
        .destinationRefused(host: "images.test", reason: reason)
    }

    // MARK: Decisions

    @Test(
        arguments: [
            ([], [], nil), ([unknown], [false], nil), ([public4], [true], nil),
            ([public4, public6], [true, true], nil),
            ([loopback4], [false], "127.0.0.1 is a loopback address"),
            ([loopback4, private4], [false, false], "10.0.0.1 is a private address"),
            ([private4, unknown], [false, false], "10.0.0.1 is a private address"),
            ([unknown, private4], [false, false], "10.0.0.1 is a private address"),
            // One that may be connected to was tried, so the failure is that of the network.
            ([public4, private4], [true, false], nil), ([private4, public4], [false, true], nil),
            ([private4, public6, loopback4], [false, true, false], nil),
        ] as [([[UInt8]], [Bool], String?)])
    func addresses_areDecidedOneByOne_andTheErrorIsTheRefusal_ifAllAreRefused(
        bytes: [[UInt8]], permitted: [Bool], reason: String?
    ) throws {
        let request = try request(.publicInternet)
        var addresses = CurlAddresses()
        for (bytes, isPermitted) in zip(bytes, permitted) {
            check(addresses.permit(NetworkAddress(bytes), for: request), isPermitted)
        }
        #expect(addresses.refusal(CURLE_COULDNT_CONNECT) == reason.map(refusal))
        for code in [CURLE_OK, CURLE_COULDNT_RESOLVE_HOST, CURLE_RECV_ERROR, CURLE_OPERATION_TIMEDOUT] {
            #expect(addresses.refusal(code) == nil)
        }
    }

    @Test func allAddresses_arePermitted_forAnAllowedOrigin_andWithoutAPolicy() throws {
        var policy = NetworkPolicy.publicInternet
        policy.allowedOrigins = ["http://images.test"]
        for request in [try request(policy), try request(.unrestricted)] {
            var addresses = CurlAddresses()
            for bytes in [Self.private4, Self.public4, Self.loopback4] {
                check(addresses.permit(NetworkAddress(bytes), for: request), true)
            }
            #expect(addresses.refusal(CURLE_COULDNT_CONNECT) == nil)
        }
    }

    // MARK: Names

    /// The result of curl_global_init, which a transport otherwise calls.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private let turn = CurlTurn(CurlMailbox())

    /// Performs a transfer as a transport configures it, on this thread, while the name has these addresses. Returns
    /// its error, or nil when the body has arrived.
    ///
    /// - Parameter isFresh: Whether it makes a connection even if there is one.
    private func error(
        _ request: DataRequest, at addresses: [String], on handle: CurlHandle, isFresh: Bool = false
    ) throws -> ImageLoaderError? {
        var rules = ResponseRules()
        rules.maximumBytes = 1 << 20
        let transfer = CurlTransfer(TransportLoad(request, ResponseSink(rules: rules)), turn)
        try transfer.prepare(handle, CurlOptions(TransportSettings(), cookies: nil))
        let names = curl_slist_append(nil, "images.test:\(request.url.port ?? 80):\(addresses.joined(separator: ","))")
        alcedo_curl_set_pointer(handle.easy, CURLOPT_RESOLVE, names)
        defer {
            handle.set(CURLOPT_RESOLVE, nil as UnsafeMutableRawPointer?)
            curl_slist_free_all(names)
        }
        if isFresh { handle.set(CURLOPT_FRESH_CONNECT, 1) }
        let code = withExtendedLifetime(transfer) { curl_easy_perform(handle.easy) }
        if code == CURLE_OK { return nil }
        return transfer.failure ?? transfer.addresses.refusal(code)
            ?? .connectionFailed(.other, detail: TransportDetail(handle.text(code)))
    }

    @Test(
        arguments: [
            (["127.0.0.1"], "127.0.0.1 is a loopback address"),
            (["10.0.0.1", "127.0.0.1"], "127.0.0.1 is a loopback address"),
            (["127.0.0.1", "169.254.169.254"], "169.254.169.254 is the address of a cloud's metadata service"),
        ] as [([String], String)])
    func name_isRefused_ifAllItsAddressesAre(addresses: [String], reason: String) throws {
        try #require(Self.isReady)
        let server = try LoopbackServer { _ in .bytes(Data("secret".utf8)) }
        let request = try request(.publicInternet, port: server.port)
        #expect(try error(request, at: addresses, on: CurlHandle()) == refusal(reason))
        #expect(server.statistics.connectionsAccepted == 0)
    }

    /// The owner of a name can change its address from one look-up to the next. The address of the connection that is
    /// used counts, not that of another connection or of the last look-up.
    @Test func nameThatMoves_isRefused_overAnOldConnectionAndANewOne() throws {
        try #require(Self.isReady)
        let server = try LoopbackServer { _ in .bytes(Data("secret".utf8)) }
        let open = try request(.unrestricted, port: server.port)
        let strict = try request(.publicInternet, port: server.port)
        let handle = CurlHandle()
        #expect(try error(open, at: ["127.0.0.1"], on: handle) == nil)
        #expect(server.statistics.requests == 1)
        // libcurl before 7.80 can't ask about a connection that exists, so it makes one.
        let isAsked = curl_version_info(CURLVERSION_FIRST).pointee.version_num >= 0x07_5000
        let used = isAsked ? "127.0.0.1" : "127.0.0.2"
        #expect(try error(strict, at: ["127.0.0.2"], on: handle) == refusal("\(used) is a loopback address"))
        for address in ["127.0.0.3", "127.0.0.4"] {
            let error = try error(strict, at: [address], on: handle, isFresh: true)
            #expect(error == refusal("\(address) is a loopback address"))
        }
        #expect(server.statistics.requests == 1 && server.statistics.connectionsAccepted == 1)
    }
}
#endif
