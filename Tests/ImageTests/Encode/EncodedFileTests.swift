import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

@Suite(.timeLimit(.minutes(1))) struct EncodedFileTests {
    private func photo() throws -> DecodedImage { DecodedImage(bitmap: try PhotoFixture.make(120, 90), format: nil) }

    @Test func file_equalsThatOfTheSynchronousCall() async throws {
        let (image, encoder) = (try photo(), JPEGEncoder(quality: 90))
        #expect(try await encoder.encodedFile(of: image) == encoder.encode(image))
        let small = try await encoder.encodedFile(of: image, atMost: 3_000)
        #expect(try small == encoder.encode(image, atMost: 3_000) && small.count <= 3_000)
    }

    @Test func error_isThatOfTheEncoder() async throws {
        let image = try photo()
        await #expect(throws: ImageLoaderError.self) { try await JPEGEncoder().encodedFile(of: image, atMost: 10) }
        await #expect(throws: ImageLoaderError.encodingFailed(.jpeg, reason: "by design")) {
            try await HeldEncoder(fails: true).opened().encodedFile(of: image)
        }
    }

    /// The call returns although the encoder still occupies its thread.
    @Test func cancelledCall_throwsImmediately() async throws {
        let (image, encoder) = (try photo(), HeldEncoder())
        let call = Task { () throws(ImageLoaderError) in try await encoder.encodedFile(of: image) }
        await encoder.gate.arrivals(1)
        call.cancel()
        await #expect(throws: ImageLoaderError.cancelled) { try await call.value }
        _ = encoder.opened()
    }

    /// Encodes once its gate is open.
    private struct HeldEncoder: FileEncoding {
        var fails = false
        let gate = ThreadGate()

        var identity: String { "held" }

        func opened() -> Self {
            gate.open()
            return self
        }

        func file(of image: DecodedImage, _ cancellation: DecodeCancellation) throws(ImageLoaderError) -> Data {
            gate.enter()
            if fails { throw .encodingFailed(.jpeg, reason: "by design") }
            return Data()
        }
    }
}
