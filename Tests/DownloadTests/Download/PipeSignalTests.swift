#if os(Linux) && Curl
import AlcedoTestSupport
import Foundation
import Synchronization
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Each test runs in its own process, which leaves SIGPIPE at its default of ending the process.
@Suite(.timeLimit(.minutes(1))) struct PipeSignalTests {
    /// Whether the calling thread blocks SIGPIPE.
    ///
    /// Without `sigset_t()`, because its module depends on the imports of other files.
    fileprivate static var isBlocked: Bool {
        withUnsafeTemporaryAllocation(of: sigset_t.self, capacity: 1) { signals in
            guard let address = signals.baseAddress else { return false }
            pthread_sigmask(SIG_BLOCK, nil, address)
            return sigismember(address, SIGPIPE) == 1
        }
    }

    private static func request(_ url: URL) -> DataRequest { DataRequest(url: url, idleTimeout: .seconds(3_600)) }

    /// A transport with TLS connections to nginx, which forwards its requests to the test's server.
    private struct Site {
        let origin: LoopbackServer
        let nginx: NginxServer
        let transport: CurlDataLoader

        init() throws {
            origin = try LoopbackServer()
            nginx = try NginxServer(files: [:], proxying: origin.port)
            var settings = TransportSettings()
            settings.authorities = nginx.authority
            transport = CurlDataLoader(settings)
        }

        func request(_ path: String) -> DataRequest { PipeSignalTests.request(nginx.secureURL("/proxied" + path)) }
    }

    // MARK: The transport

    /// Raises the signal that a write to a closed connection raises, whatever the version of libcurl.
    @Test(.enabled(if: NginxServer.isInstalled))
    func signal_onTheTransportsThread_doesNotEndTheProcess() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let site = try Site()
            let body = Data(count: 1_000)
            let (threads, recorded) = AsyncStream.makeStream(of: pthread_t.self)
            let load = Task {
                let sink = ResponseSink(maximumBytes: body.count) { _, _ in recorded.yield(pthread_self()) }
                try await site.transport.load(site.request("/a"), into: sink)
                return try sink.finish().body
            }
            let exchange = try await site.origin.nextRequest()
            exchange.sendHead(length: body.count)
            exchange.send(body.prefix(10))
            var thread: pthread_t?
            for await found in threads {
                thread = found
                break
            }
            // Once a second request arrives, the thread has left the sink.
            let other = Task {
                let sink = ResponseSink(maximumBytes: body.count)
                try await site.transport.load(site.request("/b"), into: sink)
            }
            let second = try await site.origin.nextRequest()
            #expect(pthread_kill(try #require(thread), SIGPIPE) == 0)
            // Delivering lifts the mask while the signal is pending.
            exchange.send(body.dropFirst(10))
            exchange.finish()
            #expect(try await load.value == body)
            second.reply(.bytes(body))
            try await other.value
        }
    }

    /// Sends a body over TLS several times, while the connection is reset.
    private static func sendIntoResets(to port: Int, _ path: String, trusting authority: URL) async throws {
        let proxy = try ResettingProxy(to: port, resettingAfter: 1 << 20)
        var settings = TransportSettings()
        settings.authorities = authority
        let transport = CurlDataLoader(settings)
        var request = request(try #require(URL(string: "https://127.0.0.1:\(proxy.port)\(path)")))
        request.method = .post
        request.body = Data(count: 32 << 20)
        for _ in 0..<5 {
            do throws(ImageLoaderError) {
                try await transport.load(request, into: ResponseSink(maximumBytes: 1 << 20))
                Issue.record("the whole body was sent")
            } catch {
                guard case .connectionFailed(.lost, _) = error else { throw error }
            }
        }
    }

    @Test func connectionReset_whileABodyIsSent_doesNotEndTheProcess() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let server = try TLSServer(files: ["a": Data("content".utf8)], usesNginx: false)
            let port = try #require(server.url("/a").port)
            try await PipeSignalTests.sendIntoResets(to: port, "/a", trusting: server.authority)
        }
    }

    @Test(.enabled(if: NginxServer.isInstalled))
    func connectionReset_whileFramesAreSent_doesNotEndTheProcess() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let origin = try LoopbackServer()
            let server = try NginxServer(files: [:], proxying: origin.port)
            let (port, authority) = (server.securePort, server.authority)
            try await PipeSignalTests.sendIntoResets(to: port, "/proxied/a", trusting: authority)
        }
    }

    /// Threads and processes that such code starts would inherit the mask.
    @Test(.enabled(if: NginxServer.isInstalled))
    func foreignCode_onTheTransportsThread_runsWithoutTheMask() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            let site = try Site()
            site.origin.enqueue(.redirect(to: "/proxied/b"), .bytes(Data(count: 100_000)))
            let (hook, sink) = (Recorder<Bool>(), Recorder<Bool>())
            let executor = MaskRecorder()
            var request = site.request("/a")
            request.redirects.willFollow = { _ in
                hook.record(PipeSignalTests.isBlocked)
                return true
            }
            let load = Task(executorPreference: executor) { [request] in
                let target = ResponseSink(maximumBytes: 100_000) { _, _ in sink.record(PipeSignalTests.isBlocked) }
                try await site.transport.load(request, into: target)
            }
            try await load.value
            #expect(hook.values == [false])
            #expect(sink.values.count > 1 && !sink.values.contains(true))
            #expect(executor.masks["alcedo.curl"] == false)
        }
    }

    // MARK: The mask

    @Test func signalBlockedByTheProgram_remainsBlocked() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            var (outer, inner) = (PipeSignalMask(), PipeSignalMask())
            outer.lifted { #expect(!PipeSignalTests.isBlocked) }
            outer.engage()
            inner.engage()
            #expect(PipeSignalTests.isBlocked)
            inner.lifted { #expect(PipeSignalTests.isBlocked) }
            outer.lifted { #expect(!PipeSignalTests.isBlocked) }
            #expect(PipeSignalTests.isBlocked)
        }
    }
}

/// Runs tasks on a queue, and records the threads that enqueued them and whether those block SIGPIPE.
private final class MaskRecorder: TaskExecutor {
    private let queue = DispatchQueue(label: "masks")
    private let state = Mutex<[String: Bool]>([:])

    var masks: [String: Bool] { state.withLock { $0 } }

    func enqueue(_ job: consuming ExecutorJob) {
        let isBlocked = PipeSignalTests.isBlocked
        state.withLock { $0[Thread.current.name ?? "", default: false] = isBlocked }
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
#endif
