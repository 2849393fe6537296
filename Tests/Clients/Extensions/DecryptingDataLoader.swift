import Alcedo
import Foundation

/// Decrypts the bodies that another transport brings.
struct DecryptingDataLoader: DataLoading {
    let transport: any DataLoading
    let key: UInt8
    var checksAddresses: Bool { transport.checksAddresses }

    func load(_ request: DataRequest, into sink: ResponseSink) async throws(ImageLoaderError) {
        let encrypted = ResponseSink(maximumBytes: 1 << 20)
        try await transport.load(request, into: encrypted)
        guard let head = encrypted.head else { throw .malformedResponse("no response") }
        try sink.begin(head)
        try sink.append(Self.apply(key, to: encrypted.body))
    }

    static func apply(_ key: UInt8, to bytes: Data) -> Data { Data(bytes.map { $0 ^ key }) }
}
