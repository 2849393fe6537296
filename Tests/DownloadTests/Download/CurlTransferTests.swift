#if os(Linux) && Curl
import AlcedoTestSupport
import CCurl
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The connection that a transfer records when its handle has the times of another one.
@Suite(.timeLimit(.minutes(1))) struct CurlTransferTests {
    /// The result of curl_global_init, which a transport otherwise calls.
    private static let isReady = curl_global_init(Int(CURL_GLOBAL_DEFAULT)) == CURLE_OK

    private let events = Recorder<ResponseSink.Event>()
    private let turn = CurlTurn(CurlMailbox())
    private let handle: CurlHandle
    private let server: LoopbackServer

    init() throws {
        try #require(Self.isReady)
        handle = CurlHandle()
        server = try LoopbackServer { _ in .bytes(Data("body".utf8)) }
        let first = try transfer()
        let code = withExtendedLifetime(first) { curl_easy_perform(handle.easy) }
        try #require(code == CURLE_OK && handle.isConnected && connects == 1)
    }

    private var connects: Int { events.values.count { if case .connected = $0 { true } else { false } } }

    /// A transfer that has the handle.
    private func transfer() throws -> CurlTransfer {
        let request = DataRequest(url: server.url("/a"), idleTimeout: .seconds(3_600))
        let sink = ResponseSink(rules: ResponseRules()) { [events] in events.record($0) }
        let transfer = CurlTransfer(TransportLoad(request, sink), turn)
        try transfer.prepare(handle, CurlOptions(TransportSettings(), cookies: nil))
        return transfer
    }

    @Test func transferThatHasNotBegun_hasNoConnection() throws {
        let transfer = try transfer()
        transfer.recordConnection(endingWith: .cancelled)
        #expect(connects == 1 && transfer.load.sink.failedConnectTime == nil)
        // In the next turn it may have begun.
        turn.number += 1
        transfer.recordConnection(endingWith: .cancelled)
        #expect(connects == 2 && transfer.load.sink.failedConnectTime == nil)
    }

    /// curl makes a new one if the server has closed the one that it used first.
    @Test(arguments: [
        (CURLE_COULDNT_CONNECT, ""), (CURLE_COULDNT_RESOLVE_HOST, ""), (CURLE_SSL_CONNECT_ERROR, ""),
        (CURLE_SSL_CONNECT_ERROR, "Connection reset by peer"), (CURLE_PEER_FAILED_VERIFICATION, ""),
    ])
    func connectionThatCouldNotBeMade_isAFailure(code: CURLcode, text: String) throws {
        let transfer = try transfer()
        turn.number += 1
        transfer.recordConnection(endingWith: try error(code, text, of: transfer))
        #expect(connects == 1 && transfer.load.sink.failedConnectTime != nil)
    }

    @Test(arguments: [(CURLE_RECV_ERROR, ""), (CURLE_RECV_ERROR, "certificate required"), (CURLE_GOT_NOTHING, "")])
    func connectionThatWasLost_isNoFailureToConnect(code: CURLcode, text: String) throws {
        let transfer = try transfer()
        turn.number += 1
        transfer.recordConnection(endingWith: try error(code, text, of: transfer))
        #expect(connects == 2 && transfer.load.sink.failedConnectTime == nil)
    }

    private func error(_ code: CURLcode, _ text: String, of transfer: CurlTransfer) throws -> ImageLoaderError {
        let (request, sink) = (transfer.load.request, transfer.load.sink)
        return try #require(
            ImageLoaderError(code, text: text, head: CurlHead(), sink: sink, request: request, isReused: true))
    }
}
#endif
