import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization

enum PipelineCases {
    static let all: [BenchCase] = [
        // The loader's overhead over a transport: look-ups, two flights, the decoding thread, the store.
        .timed(
            "pipeline/miss-scripted", ours: { try misses() },
            baseline: .init("the transport alone") { try transportAlone() })
    ]

    /// Loads with a new URL each, without a disk cache; the decoder returns the same picture each time.
    private static func misses() throws -> Workload {
        let loader = try Scripted.loader()
        let urls = Mutex<[URL]>([])
        return Workload(prepare: { iterations in
            let fresh = try (0..<iterations).map { _ in try Scripted.url("\(UInt64.random(in: .min ... .max))") }
            urls.withLock { $0 = fresh }
        }) { _ in
            for url in urls.withLock({ $0 }) { blackHole(try await loader.image(for: url)) }
        }
    }

    private static func transportAlone() throws -> Workload {
        let transport = Scripted.transport
        let request = DataRequest(url: try Scripted.url("a"))
        return Workload { iterations in
            for _ in 0..<iterations {
                let sink = ResponseSink(maximumBytes: 1 << 20)
                try await transport.load(request, into: sink)
                blackHole(sink)
            }
        }
    }
}
