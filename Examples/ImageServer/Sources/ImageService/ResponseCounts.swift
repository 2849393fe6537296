import Hummingbird
import Synchronization

/// Counts the responses by status, for `/metrics`.
final class ResponseCounts: RouterMiddleware {
    typealias Context = ConnectionContext

    private let counts = Mutex<[Int: Int]>([:])

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let status: Int
        defer { counts.withLock { $0[status, default: 0] += 1 } }
        do {
            let response = try await next(request, context)
            status = response.status.code
            return response
        } catch {
            status = (error as? any HTTPResponseError)?.status.code ?? 500
            throw error
        }
    }

    /// The counts in the Prometheus text format.
    var text: String {
        "# TYPE image_server_responses_total counter\n"
            + counts.withLock { $0 }.sorted { $0.key < $1.key }
            .map { "image_server_responses_total{status=\"\($0.key)\"} \($0.value)\n" }.joined()
    }
}
