import Alcedo
import Foundation
import Synchronization

/// A link of 20 Mbit/s with a latency of 50 ms, in simulated time, which all transfers share evenly. The server
/// supports the resumption of interrupted transfers.
final class SlowLink: DataLoading {
    private static let bytesPerSecond = 2_500_000.0
    private static let latency = 0.05

    private struct Transfer: Sendable {
        let request: DataRequest
        let sink: ResponseSink
        /// The time at which the first byte arrives.
        let start: Double
        let whole: Int
        var position: Int
        var hasBegun = false
        var isCancelled = false
        let continuation: CheckedContinuation<ImageLoaderError?, Never>
    }

    private struct State {
        var now = 0.0
        var transfers: [Int: Transfer] = [:]
        var lastID = 0
        var cancelled: Set<Int> = []
        var sent = 0
        var completed = 0
    }

    private let sizes: [Int]
    private let state = Mutex(State())

    /// - Parameter sizes: The size of each image in bytes, by the index in its URL.
    init(sizes: [Int]) { self.sizes = sizes }

    static func url(of index: Int) throws -> URL { try Scripted.url("feed/\(index)") }

    func load(_ request: DataRequest, into sink: ResponseSink) async throws(ImageLoaderError) {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let whole = sizes[Int(request.url.lastPathComponent) ?? 0]
        let range = request.headers["Range"].flatMap { Int($0.dropFirst("bytes=".count).dropLast()) }
        let error = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { state in
                    state.transfers[id] = Transfer(
                        request: request, sink: sink, start: state.now + Self.latency, whole: whole,
                        position: range ?? 0, isCancelled: state.cancelled.remove(id) != nil,
                        continuation: continuation)
                }
            }
        } onCancel: {
            state.withLock { state in
                if state.transfers[id] == nil { state.cancelled.insert(id) }
                state.transfers[id]?.isCancelled = true
            }
        }
        if let error { throw error }
    }

    /// Whether any transfer is running.
    var isBusy: Bool { state.withLock { !$0.transfers.isEmpty } }
    /// The number of requests so far.
    var requestCount: Int { state.withLock { $0.lastID } }
    /// The fraction of all bytes that no complete transfer needed.
    var wastedPart: Double {
        state.withLock { Double($0.sent - $0.completed) / Double(max(1, $0.sent)) }
    }

    /// Lets time pass. Returns whether a transfer has ended.
    func advance(by seconds: Double) -> Bool {
        let (ended, active) = state.withLock { state -> ([Transfer], [(Int, Transfer)]) in
            state.now += seconds
            let ended = state.transfers.filter(\.value.isCancelled)
            for id in ended.keys { state.transfers[id] = nil }
            let now = state.now
            return (Array(ended.values), state.transfers.filter { $0.value.start <= now }.sorted { $0.key < $1.key })
        }
        for transfer in ended { transfer.continuation.resume(returning: .cancelled) }
        let share = active.isEmpty ? 0 : Int(Self.bytesPerSecond * seconds) / active.count
        var hasEnded = !ended.isEmpty
        for (id, transfer) in active where send(share, of: transfer, id) { hasEnded = true }
        return hasEnded
    }

    /// Sends a part of a transfer. Returns whether the transfer has ended.
    private func send(_ count: Int, of transfer: Transfer, _ id: Int) -> Bool {
        let end = min(transfer.whole, transfer.position + count)
        var error: ImageLoaderError?
        do throws(ImageLoaderError) {
            if !transfer.hasBegun { try transfer.sink.begin(head(of: transfer)) }
            try transfer.sink.append(Self.bytes(transfer.position..<end))
        } catch let failure {
            error = failure
        }
        let isOver = error != nil || end == transfer.whole
        state.withLock { state in
            state.sent += end - transfer.position
            if isOver, error == nil { state.completed += transfer.whole }
            state.transfers[id]?.position = end
            state.transfers[id]?.hasBegun = true
            if isOver { state.transfers[id] = nil }
        }
        if isOver { transfer.continuation.resume(returning: error) }
        return isOver
    }

    private func head(of transfer: Transfer) -> ResponseHead {
        let (start, whole) = (transfer.position, transfer.whole)
        var headers: HTTPHeaders = [
            "ETag": "\"\(transfer.request.url.lastPathComponent)\"", "Accept-Ranges": "bytes",
            "Cache-Control": "max-age=86400",
        ]
        if start > 0 { headers["Content-Range"] = "bytes \(start)-\(whole - 1)/\(whole)" }
        return ResponseHead(
            status: start > 0 ? 206 : 200, url: transfer.request.url, headers: headers, expectedBytes: whole - start)
    }

    /// The bytes of an image, which begins like a PNG and continues with zeros.
    private static func bytes(_ range: Range<Int>) -> Data {
        let head = Scripted.body.prefix(8)
        let part = head.dropFirst(min(range.lowerBound, head.count)).prefix(range.count)
        return part + Data(count: range.count - part.count)
    }
}
