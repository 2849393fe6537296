import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The single end of a load, without a session.
@Suite(.timeLimit(.minutes(1))) struct URLSessionTransferTests {
    private let url = URL(filePath: "/").appending(path: "unused")

    private func makeTransfer(_ sink: ResponseSink = ResponseSink(maximumBytes: 10)) -> SessionTransfer {
        SessionTransfer(DataRequest(url: url), into: sink)
    }

    private func begin(_ transfer: SessionTransfer) async -> TransportLoad.Outcome {
        await withUnsafeContinuation { _ = transfer.load.begin(resuming: $0) }
    }

    @Test func endBeforeTheBeginning_resumesTheCallerAtOnce() async {
        let transfer = makeTransfer()
        #expect(transfer.load.end(.failure(.cancelled)))
        await #expect(throws: ImageLoaderError.cancelled) { try await begin(transfer).get() }
    }

    @Test func secondEnd_isIgnored() async throws {
        let transfer = makeTransfer()
        #expect(transfer.load.end(.success(())))
        #expect(!transfer.load.end(.failure(.cancelled)))
        #expect(transfer.load.hasEnded)
        try await begin(transfer).get()
    }

    @Test func delivery_isRejected_afterTheEnd() {
        let transfer = makeTransfer()
        transfer.load.end(.failure(.cancelled))
        #expect(!transfer.deliver { _ in Issue.record("a delivery") })
    }

    @Test func sinkError_endsTheTransfer() async {
        let transfer = makeTransfer()
        let delivered = transfer.deliver { sink throws(ImageLoaderError) in
            try sink.begin(ResponseHead(status: 200, url: url))
            try sink.append(Data(count: 11))
        }
        #expect(!delivered)
        await #expect(throws: ImageLoaderError.limitExceeded(.inputBytes, value: 11, allowed: 10)) {
            try await begin(transfer).get()
        }
    }

    @Test func caller_isResumedOnce_whenTheTransferIsClosed() async throws {
        let isClosed = Mutex(false)
        let transfer = makeTransfer()
        let outcome = await withUnsafeContinuation { continuation in
            #expect(transfer.load.begin(resuming: continuation))
            #expect(transfer.load.end(.failure(.cancelled)))
            #expect(!transfer.load.end(.success(())))
            isClosed.withLock { $0 = true }
            transfer.load.close()
            transfer.load.close()
        }
        #expect(isClosed.withLock { $0 })
        #expect(throws: ImageLoaderError.cancelled) { try outcome.get() }
    }

    @Test func credentialsInTheURL_becomeAHeader() throws {
        let request = DataRequest(url: try #require(URL(string: "http://us%40er:p%3Aw@host:81/a?b=c#d")))
        let field = request.withCredentialsAsField()
        #expect(field.url.absoluteString == "http://host:81/a?b=c#d")
        #expect(field.headers["Authorization"] == "Basic " + Data("us@er:p:w".utf8).base64EncodedString())
        var own = request
        own.headers["Authorization"] = "Bearer x"
        #expect(own.withCredentialsAsField().headers["Authorization"] == "Bearer x")
        let plain = DataRequest(url: try #require(URL(string: "http://host/")))
        #expect(plain.withCredentialsAsField().headers.isEmpty)
    }
}
