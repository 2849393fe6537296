import Alcedo
import AlcedoTestSupport
import Foundation

@testable import AlcedoTool

extension LoadFixture {
    func probe(_ arguments: String...) async throws -> Int32 { try await probe(arguments) }

    func probe(_ arguments: [String]) async throws -> Int32 {
        try await ProbeCommand(options: ProbeOptions(arguments), console: console, configuration: configuration).run()
    }
}

extension Pictures {
    /// A JPEG that is shown turned by 90° clockwise, as its EXIF block demands.
    static func turnedJPEG(_ width: Int, _ height: Int) throws -> Data {
        let exif: [UInt8] = [
            0xFF, 0xE1, 0, 34, 0x45, 0x78, 0x69, 0x66, 0, 0,  // APP1, its length, "Exif"
            0x4D, 0x4D, 0, 42, 0, 0, 0, 8,  // big endian; the directory follows
            0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0,  // one field: orientation 6
        ]
        let jpeg = try jpeg(width, height)
        return jpeg.prefix(2) + Data(exif) + jpeg.dropFirst(2)
    }
}
