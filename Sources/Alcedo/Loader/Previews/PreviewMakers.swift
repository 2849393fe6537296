import Synchronization

/// The makers of previews: one for each transfer and variant that has readers.
final class PreviewMakers: Sendable {
    private struct Key: Hashable {
        let serial: UInt64
        let variant: ImageVariant
    }

    private struct Place {
        weak var maker: PreviewMaker?
    }

    private let makers = Mutex<[Key: Place]>([:])
    private let settings: ImageLoader.Configuration.Previews
    private let decode: DecodeSettings
    private let room: MemoryQuota
    private let gate: DecodeGate
    private let time: TimeSource

    init(_ configuration: ImageLoader.Configuration, _ gate: DecodeGate, _ time: TimeSource) {
        settings = configuration.previews
        decode = configuration.decode
        room = MemoryQuota(settings.maximumMemoryBytes)
        self.gate = gate
        self.time = time
    }

    /// Returns the maker that all readers of the same transfer and variant share and retain.
    func maker(of transfer: TransferProgress, _ variant: ImageVariant) -> PreviewMaker {
        makers.withLock { makers in
            let key = Key(serial: transfer.serial, variant: variant)
            if let maker = makers[key]?.maker { return maker }
            // Removes makers that have no readers left.
            makers = makers.filter { $0.value.maker != nil }
            let work = PreviewWork(decode.decoders, DecodeRequest(limits: decode.limits, target: variant.target), room)
            let maker = PreviewMaker(transfer, work, gate, time, settings)
            makers[key] = Place(maker: maker)
            return maker
        }
    }
}
