import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

@testable import AlcedoTool

@Suite(.timeLimit(.minutes(1))) struct LoadReportTests {
    private func loaded(_ url: String = "http://h/a.png") -> LoadReport {
        var report = LoadReport(url, .cancelled)
        (report.error, report.errorKind) = (nil, nil)
        (report.width, report.height, report.format) = (8, 6, "png")
        (report.source, report.milliseconds) = ("network", 12.345)
        return report
    }

    private func parsed(_ reports: [LoadReport]) throws -> [[String: Any]] {
        let json = try JSONText.of(reports)
        return try #require(JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]])
    }

    @Test func line_hasSizeSourceAndFile() {
        var report = loaded()
        #expect(report.line == "http://h/a.png: png, 8 × 6, network in 12.3 ms")
        report.file = "out/a.png"
        #expect(report.line == "http://h/a.png: png, 8 × 6, network in 12.3 ms → out/a.png")
    }

    @Test func line_isEscaped_whateverTheURL() {
        let line = loaded("http://h/\n\u{1B}[2J\u{2028}\r\u{7}").line
        #expect(line == #"http://h/\n\u{1B}[2J\u{2028}\r\u{07}: png, 8 × 6, network in 12.3 ms"#)
    }

    @Test func json_canBeParsed() throws {
        var report = loaded()
        report.file = "out/a.png"
        let objects = try parsed([report, LoadReport("http://h/\"b\"\n", .badStatus(404))])
        #expect(objects.count == 2)
        #expect(objects[0]["url"] as? String == "http://h/a.png")
        #expect(objects[0]["width"] as? Int == 8)
        #expect(objects[0]["height"] as? Int == 6)
        #expect(objects[0]["format"] as? String == "png")
        #expect(objects[0]["source"] as? String == "network")
        #expect(objects[0]["milliseconds"] as? Double == 12.345)
        #expect(objects[0]["file"] as? String == "out/a.png")
        #expect(objects[0]["error"] == nil && objects[0]["errorKind"] == nil)
        #expect(objects[1]["url"] as? String == "http://h/\"b\"\n")
        #expect(objects[1]["error"] as? String == "the server answered with status 404")
        #expect(objects[1]["errorKind"] as? String == "badStatus")
        #expect(Set(objects[1].keys) == ["url", "error", "errorKind"])
    }

    @Test func json_isAnEmptyList_withoutReports() throws {
        #expect(try parsed([]).isEmpty)
    }

    @Test func json_throws_forInfiniteNumbers() {
        var report = loaded()
        report.milliseconds = .infinity
        #expect(throws: EncodingError.self) { try JSONText.of([report]) }
    }

    @Test func response_isReported() async throws {
        let fixture = try LoadFixture.ofPictures()
        let url = fixture.url("/a.png")
        let loader = ImageLoader(fixture.configuration)
        let response = try await loader.response(for: ImageRequest(url))
        let report = LoadReport(
            url, response.image.format, response.image.size, response.source, response.timings.total)
        #expect(report.url == url)
        #expect(report.width == 8 && report.height == 6)
        #expect(report.format == "png")
        #expect(report.source == "network")
        #expect((report.milliseconds ?? 0) > 0)
        #expect(report.error == nil)
        await loader.flush()
    }
}
