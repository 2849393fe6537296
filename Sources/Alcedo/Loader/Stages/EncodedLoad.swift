import Foundation

/// The flights of a loader's encoded images.
typealias EncodedFlights = Flights<EncodedKey, EncodedFile>

/// Identifies an image's file.
struct EncodedKey: Hashable, Sendable {
    let image: FlightKey<ImageKey>
    /// The identity of the encoder.
    let encoder: String
}

/// The load of a file, as shared by all its stages.
final class EncodedLoad: RunningLoad {
    let flight: FlightID
    let request: ImageRequest
    let key: ImageKey
    let control: LoadControl
    /// Taken when the load began, so that a file that was removed since isn't stored.
    let tickets: Load.Tickets
    let encoder: any FileEncoding
    /// Distinguishes the file from all others made from the resource.
    let fileText: String

    init(
        _ flight: FlightID, _ request: ImageRequest, _ key: EncodedKey, _ control: LoadControl,
        _ tickets: Load.Tickets, _ encoder: any FileEncoding
    ) {
        (self.flight, self.request, self.key, self.control) = (flight, request, key.image.key, control)
        (self.tickets, self.encoder) = (tickets, encoder)
        fileText = "\(Self.pixels) \(key.image.key.variant.wholeText) as \(key.encoder)"
    }

    /// The version of the pixels that decoding, scaling and the built-in processors make. Files and tags of another
    /// version are no longer found.
    private static let pixels = 1

    /// Whether other processes find the file by the same name.
    var isFoundAgain: Bool { key.variant.processing?.isFoundAgain != false }

    func caller(needsBytes: Bool) -> ResourceFlights.Caller {
        let needs: FlightNeeds = request.writes.fillsDisk ? .confirming : []
        return ResourceFlights.Caller(control, isFlight: true, needs: needsBytes ? needs.union(.bytes) : needs)
    }

    /// The entity tag of the file, derived from the validator of its source.
    func tag(_ source: (text: String, isWeak: Bool)) -> String {
        let text = [key.resource.text.splitUserInfo.text, source.text, fileText].joined(separator: "\n")
        return (source.isWeak ? "W/" : "") + "\"\(SHA256.digest(of: Array(text.utf8)).hexadecimal.prefix(32))\""
    }
}

/// The file that a flight has made or found.
struct EncodedFile: Sendable {
    /// Nil if all callers' clients have the file.
    var data: Data?
    var format: ImageFormat?
    let head: EncodedImage.Head

    var image: EncodedImage? { data.map { EncodedImage(data: $0, format: format, head: head) } }

    /// The entity tag of a file, derived from its bytes.
    static func tag(of bytes: Data) -> String { "\"\(bytes.withUnsafeBytes { FastHash.digest($0) })\"" }
}
