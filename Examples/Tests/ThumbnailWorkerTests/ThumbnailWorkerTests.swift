import Alcedo
import AlcedoTestSupport
import Foundation
import Testing

/// Tests of the worker as a process. Its loader refuses addresses that aren't public, so the test uses a data URL.
@Suite(.timeLimit(.minutes(1))) struct ThumbnailWorkerTests {
    /// 40 × 30 pixels of (200, 100, 50) in Display P3, which is (215, 93, 31) in sRGB.
    private static let displayP3 = """
        iVBORw0KGgoAAAANSUhEUgAAACgAAAAeCAIAAADRv8uKAAABTmlDQ1BJQ0MgUHJvZmlsZQAAeJxjYGA8kZOcW8wkwMCQm1dSFOTu\
        pBARGaXA/oiBmUGEgZOBj0E2Mbm4wDfYLYQBCIoTy4uTS4pyGFDAt2sMjCD6sm5GYl7KllV35YVPMNt8DRRx1aia8YgBP+BMSS1O\
        BtIfgDguuaCohIGBkQfI5ikvKQCxJYBskSKgo4BsHRA7HcJ2ALGTIOwQsJqQIGcgOwPITkhHYichsaF2gQBLaYAxikNKUitKQLSz\
        swEDKAwgop8DwX5jFDuDEGu+z8Bgu/////+7EWJe+xkYNpozMHDtRIhpWDAwCHIxMJzYmVxaVAa1RguIaxh+MM5hKmVuZjnJ5sch\
        xCXBk8T3RfC8yDeJLBk9BWeVNZpZenXGry03219zC/c1CymLEU+RzWkrDavr7dCZZDZn9fKeTbf3zTx1/Hrqk/KPP///BwBXJGdN\
        71xyRQAAAC5JREFUeNrtzTEBADAIACBdJDMZ1liL4OkDBcjpigsvjojFYrFYLBaLxWKxePcBGYsBmkQCzvUAAAAASUVORK5CYII=
        """

    @Test func thumbnail_hasTheColorsOfThePhoto() throws {
        let temporary = try TemporaryDirectory()
        let (worker, input) = (Process(), Pipe())
        worker.executableURL = Bundle.main.bundleURL.appending(path: "ThumbnailWorker")
        worker.arguments = [temporary.url.appending(path: "thumbnails").path]
        worker.environment = [
            "HOME": temporary.url.path, "XDG_CACHE_HOME": temporary.url.appending(path: "caches").path,
        ]
        worker.standardInput = input
        worker.standardOutput = FileHandle.nullDevice
        try worker.run()
        input.fileHandleForWriting.write(Data("data:image/png;base64,\(Self.displayP3)\n".utf8))
        try input.fileHandleForWriting.close()
        worker.waitUntilExit()
        #expect(worker.terminationStatus == 0)
        var request = DecodeRequest()
        request.convertsToSRGB = true
        let file = try Data(contentsOf: temporary.url.appending(path: "thumbnails/1.jpg"))
        let pixel = try ImageDecoders.builtIn.decode(file, request).bitmap[15, 15]
        for (value, expected) in zip([pixel.x, pixel.y, pixel.z], [215, 93, 31]) {
            #expect(abs(Int(value) - expected) <= 6, "\(pixel)")
        }
    }
}
