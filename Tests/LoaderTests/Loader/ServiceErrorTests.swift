import Alcedo
import Foundation
import Testing

@testable import TestFixtures

/// The answers of a service to its clients when a load fails.
@Suite struct ServiceErrorTests {
    private static let errors: [(ImageLoaderError, Int)] = [
        (.cancelled, 503), (.closed, 503), (.overloaded(allowed: 9), 503),
        (.invalidURL("http://secret.internal", reason: "secret"), 400), (.unsupportedScheme("secret"), 400),
        (.invalidHeader(name: "secret"), 400), (.invalidProcessor("secret", parameter: "secret", value: "1"), 400),
        (.destinationRefused(host: "secret.internal", reason: "10.0.0.1 is private"), 403),
        (.fileUnreadable(path: "/secret", reason: "secret"), 404),
        (.badStatus(404), 404), (.badStatus(410), 410), (.badStatus(500), 502), (.badStatus(403), 502),
        (.notCached, 504), (.timedOut(.deadline), 504), (.timedOut(.idle), 504),
        (.connectionFailed(.refused, detail: "10.0.0.1 port 80"), 502),
        (.redirectRefused(location: "http://10.0.0.1", reason: "secret"), 502), (.malformedResponse("secret"), 502),
        (.truncated(received: 1, expected: 2), 502), (.emptyBody, 502),
        (.contentTypeRefused("text/secret"), 415), (.notAnImage(found: "secret"), 415), (.unsupportedFormat(.svg), 415),
        (.unsupportedImage(.png, reason: "secret"), 415), (.corruptImage(.png, reason: "secret"), 422),
        (.unsupportedConfiguration("secret"), 500), (.encodingFailed(.png, reason: "secret"), 500),
        (.limitExceeded(.imagePixels, value: 2, allowed: 1), 413),
        (.limitExceeded(.inputBytes, value: 2, allowed: 1), 413),
        (.limitExceeded(.requestBytes, value: 2, allowed: 1), 414),
        (.limitExceeded(.redirects, value: 2, allowed: 1), 502),
        (.limitExceeded(.expansion, value: 2, allowed: 1), 502),
        (.limitExceeded(.encodedBytes, value: 2, allowed: 1), 500),
    ]

    @Test func status_isThatOfTheTable() {
        for (error, status) in Self.errors { #expect(error.serviceStatus == status, "\(error)") }
    }

    @Test func text_isASentence_withoutWhatOthersSaid() {
        for (error, _) in Self.errors {
            let text = error.serviceText
            #expect(text.hasSuffix(".") && text.first?.isUppercase == true, "\(text)")
            for part in ["secret", "10.0.0.1", "internal"] { #expect(!text.contains(part), "\(text)") }
        }
    }
}
