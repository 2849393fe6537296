import XCTest

final class ClientUITests: XCTestCase {
    @MainActor func testImage_isShown() {
        let app = XCUIApplication()
        app.launch()
        XCTAssertTrue(app.images["Pixel"].waitForExistence(timeout: 30))
    }
}
