import Alcedo
import Testing

/// The kind of the error that `body` throws; nil if it succeeds.
func failure<Value>(_ body: () throws -> Value) -> ImageLoaderError.Kind? {
    do {
        _ = try body()
        return nil
    } catch {
        return kind(of: error)
    }
}

/// The kind of the error that `body` throws; nil if it succeeds.
func failure<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
) async -> ImageLoaderError.Kind? {
    do {
        _ = try await body()
        return nil
    } catch {
        return kind(of: error)
    }
}

private func kind(of error: any Error) -> ImageLoaderError.Kind? {
    if !(error is ImageLoaderError) { Issue.record(error, "another type of error") }
    return (error as? ImageLoaderError)?.kind
}
