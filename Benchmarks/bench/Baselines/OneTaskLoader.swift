import Alcedo
import Foundation

/// The minimum work of a loader whose loads outlive their callers: each call hops to an actor, which creates the Task
/// that awaits the transport. It caches, shares and decodes nothing.
actor OneTaskLoader {
    private let transport: any DataLoading

    init(_ transport: any DataLoading) { self.transport = transport }

    nonisolated func data(for url: URL) async throws -> Data { try await load(url).value }

    private func load(_ url: URL) -> Task<Data, any Error> {
        Task.detached { [transport] in
            let sink = ResponseSink(maximumBytes: 1 << 20)
            try await transport.load(DataRequest(url: url), into: sink)
            return sink.body
        }
    }
}
