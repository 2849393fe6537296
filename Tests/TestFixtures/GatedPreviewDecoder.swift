#if os(Linux) && JPEG
import Alcedo
import AlcedoTestSupport
import Foundation
import Synchronization

/// Reads JPEG previews, each piece of which takes as long as its gate is closed, and counts the readers.
final class GatedPreviewDecoder: PreviewDecoding {
    private struct State {
        var readers = 0
        var alive = 0
        var fed = 0
        var cancellations: [DecodeCancellation] = []
    }

    /// The gate before each piece; open unless a test closes it.
    let gate: ThreadGate?
    /// Whether the readers fail.
    let isBroken: Bool
    private let state = Mutex(State())

    var format: ImageFormat { .jpeg }
    var readerCount: Int { state.withLock { $0.readers } }
    /// The number of readers that haven't been released.
    var aliveCount: Int { state.withLock { $0.alive } }
    /// The number of bytes fed to all readers.
    var fedBytes: Int { state.withLock { $0.fed } }
    /// The cancellation of each piece.
    var cancellations: [DecodeCancellation] { state.withLock { $0.cancellations } }

    init(gate: ThreadGate? = nil, isBroken: Bool = false) {
        self.gate = gate
        self.isBroken = isBroken
    }

    func header(of data: Data, limits: DecodeLimits) throws(ImageLoaderError) -> ImageHeader {
        try JPEGDecoder().header(of: data, limits: limits)
    }

    func decode(_ data: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> DecodedImage {
        try JPEGDecoder().decode(data, request)
    }

    func previewHeader(_ head: Data, _ request: DecodeRequest) throws(ImageLoaderError) -> ImageHeader? {
        try JPEGDecoder().previewHeader(head, request)
    }

    func previewBytes(_ header: ImageHeader, _ request: DecodeRequest) throws(ImageLoaderError) -> Int {
        try JPEGDecoder().previewBytes(header, request)
    }

    func previewReader(
        _ head: Data, _ header: ImageHeader, _ request: DecodeRequest
    ) throws(ImageLoaderError) -> any PreviewReading {
        Reader(try JPEGDecoder().previewReader(head, header, request), self)
    }

    private final class Reader: PreviewReading {
        let reader: any PreviewReading
        let decoder: GatedPreviewDecoder

        init(_ reader: any PreviewReading, _ decoder: GatedPreviewDecoder) {
            self.reader = reader
            self.decoder = decoder
            decoder.state.withLock { state in
                state.readers += 1
                state.alive += 1
            }
        }

        deinit { decoder.state.withLock { $0.alive -= 1 } }

        func append(
            _ bytes: UnsafeRawBufferPointer, _ cancellation: DecodeCancellation
        ) throws(ImageLoaderError) {
            precondition(WorkerThreads.isCurrent, "a decode on a thread that must not block")
            decoder.state.withLock { state in
                state.fed += bytes.count
                state.cancellations.append(cancellation)
            }
            decoder.gate?.enter()
            if decoder.isBroken { throw .corruptImage(.jpeg, reason: "a test") }
            try reader.append(bytes, cancellation)
        }

        func preview(_ cancellation: DecodeCancellation) throws(ImageLoaderError) -> PartialImage? {
            try reader.preview(cancellation)
        }
    }
}
#endif
