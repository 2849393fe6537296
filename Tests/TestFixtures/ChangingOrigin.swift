import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization

/// A server whose images change, with the validators of a real server, and with a manual time of day.
final class ChangingOrigin: Sendable {
    struct State {
        /// The width of the image at each path; 40 for other paths.
        var widths: [String: Int] = [:]
        var headers: HTTPHeaders = ["Cache-Control": "max-age=60"]
        /// Whether responses have an entity tag.
        var hasTags = true
        /// The answer to give instead of an image.
        var failure: ScriptedDataLoader.Answer?
        /// The tag that replaces the right one in a 304.
        var wrongTag: String?
        var second: Int64 = 1_800_000_000
        var requests: [DataRequest] = []
    }

    let state = Mutex(State())
    private let pictures: [Int: Data]

    /// - Parameter widths: The widths that images may have.
    init(widths: [Int] = [40, 44]) throws {
        var pictures: [Int: Data] = [:]
        // The files are uncompressed so that their lengths differ, as those of different versions do in practice.
        let encoder = PNGEncoder(compressionLevel: 0)
        for width in widths { pictures[width] = try encoder.encode(Pictures.gradient(width, 30)) }
        self.pictures = pictures
    }

    func change(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    /// Advances the time.
    func pass(_ seconds: Int64) { change { $0.second += seconds } }

    var requestCount: Int { state.withLock { $0.requests.count } }

    /// The number of requests that asked whether an image is still valid.
    var conditionalCount: Int { state.withLock { $0.requests.count { $0.headers["If-None-Match"] != nil } } }

    var transport: ScriptedDataLoader { ScriptedDataLoader { [self] request in answer(request) } }

    private func answer(_ request: DataRequest) -> ScriptedDataLoader.Answer {
        state.withLock { state in
            state.requests.append(request)
            if let failure = state.failure { return failure }
            let width = state.widths[request.url.path] ?? 40
            var headers = state.headers
            if state.hasTags { headers["ETag"] = "\"\(width)\"" }
            if state.hasTags, request.headers["If-None-Match"] == headers["ETag"] {
                if let tag = state.wrongTag { headers["ETag"] = tag }
                return .response(status: 304, headers: headers, body: Data(), expectedBytes: nil)
            }
            return .bytes(pictures[width] ?? Data(), headers: headers)
        }
    }

    /// Returns a fixture whose loaders use this origin and its time.
    func fixture() throws -> LoaderFixture {
        var fixture = try LoaderFixture(transport)
        fixture.configuration.timeOfDay = { [self] in state.withLock { $0.second } }
        return fixture
    }
}
