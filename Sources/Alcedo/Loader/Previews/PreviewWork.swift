import Foundation
import Synchronization

/// Decodes the body of one transfer as it arrives. Each byte is copied from the body once, in the turn that uses it.
///
/// Calls are made one after the other, on decoding threads.
final class PreviewWork: Sendable {
    /// The outcome of a turn.
    enum Outcome: Sendable {
        case preview(ImagePreview)
        /// There is nothing new to show.
        case nothing
        /// The turn was stopped. Another turn continues.
        case stopped
        /// These bytes can't have a preview.
        case failed
    }

    private struct State {
        /// The number of bytes copied from the body.
        var taken = 0
        /// Copied bytes that the reader hasn't received, from `offset` on. All copied bytes before there is a reader.
        var pending = Data()
        var offset = 0
        var reading: Reading?
    }

    private struct Reading {
        let reader: any PreviewReading
        var fitting: PictureFitting
        let memory: MemoryQuota.Reservation
    }

    private let decoders: ImageDecoders
    private let request: DecodeRequest
    private let room: MemoryQuota
    /// Held for a whole turn, because a reader can't be passed between threads otherwise. Turns follow one another, so
    /// nothing waits for the lock.
    private let state = Mutex(State())

    init(_ decoders: ImageDecoders, _ request: DecodeRequest, _ room: MemoryQuota) {
        self.decoders = decoders
        self.request = request
        self.room = room
    }

    /// Performs one turn: reads the bytes that have arrived, and makes a preview of them.
    func run(_ transfer: TransferProgress, _ cancellation: DecodeCancellation) -> Outcome {
        state.withLock { state in
            do throws(ImageLoaderError) {
                return try run(transfer, cancellation, &state)
            } catch {
                if error == .cancelled { return .stopped }
                // Nothing more will be decoded, so its memory is released.
                state.reading = nil
                state.pending = Data()
                return .failed
            }
        }
    }

    private func run(
        _ transfer: TransferProgress, _ cancellation: DecodeCancellation, _ state: inout State
    ) throws(ImageLoaderError) -> Outcome {
        while true {
            try feed(&state, cancellation)
            let bytes = transfer.body(state.taken, Self.copiedBytes)
            if bytes.isEmpty { break }
            state.taken += bytes.count
            state.pending.append(bytes)
        }
        if state.reading == nil {
            state.reading = try begin(state.pending)
            try feed(&state, cancellation)
        }
        guard var reading = state.reading, let part = try reading.reader.preview(cancellation) else { return .nothing }
        return .preview(
            ImagePreview(
                bitmap: try reading.fitting.apply(to: part.bitmap, reducedBy: part.reduction),
                receivedBytes: state.taken, expectedBytes: transfer.expected, coverage: part.coverage,
                quality: part.quality))
    }

    /// Passes new bytes to the reader, if there is one.
    private func feed(_ state: inout State, _ cancellation: DecodeCancellation) throws(ImageLoaderError) {
        guard let reader = state.reading?.reader else { return }
        // Runs once even without bytes, because the reader may have been stopped before it had read the last ones.
        repeat {
            let piece = state.pending.dropFirst(state.offset).prefix(Self.pieceBytes)
            state.offset += piece.count
            let bytes = piece.bytes
            try bytes.withUnsafeBytes { (bytes) throws(ImageLoaderError) in try reader.append(bytes, cancellation) }
            try cancellation.check()
        } while state.offset < state.pending.count
        state.pending = Data()
        state.offset = 0
    }

    /// Creates a reader for the file that begins with `head`; nil if more bytes are needed to detect the format.
    private func begin(_ head: Data) throws(ImageLoaderError) -> Reading? {
        guard let decoder = try decoders.decoder(for: head) as? any PreviewDecoding else {
            throw .unsupportedConfiguration("a decoder without previews")
        }
        guard let header = try self.header(head, by: decoder) else { return nil }
        try request.checkRegion(header)
        let bytes = try decoder.previewBytes(header, request)
        guard let memory = room.take(bytes) else { throw .limitExceeded(.bitmapBytes, value: bytes, allowed: 0) }
        return Reading(
            reader: try decoder.previewReader(head, header, request), fitting: PictureFitting(header, request),
            memory: memory)
    }

    private func header(_ head: Data, by decoder: any PreviewDecoding) throws(ImageLoaderError) -> ImageHeader? {
        do throws(ImageLoaderError) {
            if let header = try decoder.previewHeader(head, request) { return header }
        } catch {
            // The header may just be incomplete so far.
            guard case .corruptImage = error else { throw error }
        }
        if head.count > Self.mostHeadBytes {
            throw .limitExceeded(.metadataBytes, value: head.count, allowed: Self.mostHeadBytes)
        }
        return nil
    }

    /// The maximum number of bytes copied at a time, while the transfer waits.
    private static let copiedBytes = 256 << 10
    /// The number of bytes decoded between two checks for cancellation.
    private static let pieceBytes = 16 << 10
    /// The maximum number of bytes before the pixels. Camera data and profiles aren't longer.
    private static let mostHeadBytes = 8 << 20
}
