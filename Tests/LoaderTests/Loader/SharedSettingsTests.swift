import Foundation
import Testing

@testable import Alcedo

/// The configuration of the shared loader.
@Suite struct SharedSettingsTests {
    private var configuration: ImageLoader.Configuration {
        var configuration = ImageLoader.Configuration()
        configuration.memory.maximumCount = 3
        return configuration
    }

    @Test func configuration_isThatOfTheLoader() throws {
        var settings = SharedSettings()
        try settings.set(configuration)
        #expect(settings.use().memory.maximumCount == 3)
    }

    @Test func withoutOne_theDefaultIsUsed() {
        var settings = SharedSettings()
        #expect(settings.use().memory == ImageLoader.Configuration().memory)
    }

    @Test func secondOne_isRefused() throws {
        let error = ImageLoaderError.unsupportedConfiguration(
            "the shared loader is configured once, before its first use")
        var settings = SharedSettings()
        try settings.set(configuration)
        #expect(throws: error) { try settings.set(configuration) }
        var used = SharedSettings()
        _ = used.use()
        #expect(throws: error) { try used.set(configuration) }
    }
}
