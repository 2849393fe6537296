import AlcedoTestSupport
import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// Metrics in the text format of Prometheus.
@Suite(.timeLimit(.minutes(1))) struct PrometheusTextTests {
    @Test func text_hasTypesAndValues() async throws {
        let png = try Pictures.png()
        let loader = try LoaderFixture(ScriptedDataLoader { _ in .bytes(png) }).makeLoader()
        _ = try await loader.image(for: .test())
        await loader.flush()
        let lines = await loader.metrics.prometheusText.split(separator: "\n").map(String.init)
        var types: [String: String] = [:]
        for line in lines {
            let parts = line.split(separator: " ").map(String.init)
            if line.hasPrefix("# TYPE ") {
                try #require(parts.count == 4)
                #expect(types.updateValue(parts[3], forKey: parts[2]) == nil, "\(line)")
            } else {
                let match = try #require(
                    line.wholeMatch(of: /(alcedo_[a-z_]+?)(_bucket\{le="[^"]+"\}|_sum|_count)? \S+/))
                let type = try #require(types[String(match.1)], "\(line)")
                #expect((match.2 != nil) == (type == "histogram"))
                #expect(match.1.hasSuffix("_total") == (type == "counter"))
                #expect(Double(parts[1])?.isFinite == true)
            }
        }
        #expect(lines.contains("alcedo_downloads_succeeded_total 1") && lines.contains("alcedo_disk_stores_total 1"))
        #expect(lines.contains("alcedo_memory_entries 1") && lines.contains("alcedo_received_bytes_total \(png.count)"))
    }

    @Test func histogram_isCumulative_inSeconds() async throws {
        let png = try Pictures.png()
        let loader = try LoaderFixture(ScriptedDataLoader { _ in .bytes(png) }).makeLoader()
        for number in 0..<3 { _ = try await loader.image(for: .test("\(number).png")) }
        let lines = await loader.metrics.prometheusText.split(separator: "\n")
        let buckets = lines.filter { $0.hasPrefix("alcedo_decode_seconds_bucket") }
        let counts = buckets.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } }
        #expect(counts.count == 17 && counts == counts.sorted() && counts.last == 3)
        #expect(buckets.first?.contains("le=\"0.001024\"") == true && buckets.last?.contains("le=\"+Inf\"") == true)
        #expect(lines.contains("alcedo_decode_seconds_count 3"))
    }
}
