import Alcedo
import Foundation

/// The listings about events and metrics, one function for each.
enum WatchingLoads {
    static func recorder(
        _ given: ImageLoader.Configuration
    ) -> (ImageLoader, LoadRecorder) {
        var configuration = given
        // region: recorder
        let recorder = LoadRecorder()
        configuration.eventSinks = [recorder]
        let loader = ImageLoader(configuration)
        // endregion
        return (loader, recorder)
    }

    static func recorderAlone(_ given: ImageLoader.Configuration) -> LoadRecorder {
        var configuration = given
        // region: recorder-in-a-configuration
        let recorder = LoadRecorder()
        configuration.eventSinks = [recorder]
        // endregion
        return recorder
    }

    static func log(_ given: ImageLoader.Configuration) -> ImageLoader.Configuration {
        var configuration = given
        // region: log
        configuration.eventSinks = [LoadLog(.json, level: .failures)]
        // endregion
        return configuration
    }

    static func reading(_ recorder: LoadRecorder, log: (String) -> Void) {
        // region: recorded-stages
        for event in recorder.events {
            guard case .ended(let stage, let outcome) = event.kind else { continue }
            let path = event.url?.path ?? ""
            log("\(path): \(stage) took \(outcome.duration) for \(outcome.bytes ?? 0) bytes")
        }
        // endregion
    }

    static func metrics(of loader: ImageLoader, gauge: (String, Double) -> Void) async {
        // region: metrics
        let metrics = await loader.metrics
        gauge("images.memory.hits", Double(metrics.memory.hits))
        gauge("images.downloads.queued", Double(metrics.downloads.queued))
        if let p95 = metrics.downloads.transfers.quantile(0.95) {
            gauge("images.transfer.p95", p95 / .seconds(1))
        }
        print(metrics.prometheusText)
        // endregion
    }

    static func close(_ loader: ImageLoader) async {
        // region: close
        await loader.close()
        // endregion
    }

    #if canImport(os)
    static func signposts(_ given: ImageLoader.Configuration) -> ImageLoader {
        var configuration = given
        // region: signposts
        configuration.eventSinks = [LoadSignposts()]
        // endregion
        return ImageLoader(configuration)
    }
    #endif
}
