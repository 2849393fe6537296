import Alcedo
import Foundation
import Testing

/// What people read of an error.
struct ErrorTextTests {
    private static let all: [ImageLoaderError] = [
        .cancelled, .invalidURL("u", reason: "r"), .unsupportedScheme("ftp"), .invalidHeader(name: "n"),
        .fileUnreadable(path: "/p", reason: "r"), .unsupportedConfiguration("c"), .notCached,
        .prepareFailed(UnderlyingError(CocoaError(.fileNoSuchFile))),
        .authenticationFailed(UnderlyingError(CocoaError(.fileNoSuchFile))),
        .sourceFailed(UnderlyingError(CocoaError(.fileNoSuchFile))), .connectionFailed(.hostNotFound, detail: "d"),
        .connectionFailed(.refused, detail: "d"),
        .connectionFailed(.lost, detail: "d"), .connectionFailed(.insecure, detail: "d"),
        .connectionFailed(.other, detail: "d"), .timedOut(.idle), .timedOut(.total), .timedOut(.tooSlow),
        .destinationRefused(host: "h", reason: "r"), .destinationRefused(host: "", reason: "r"),
        .redirectRefused(location: "l", reason: "r"), .badStatus(404), .contentTypeRefused("text/html"),
        .contentTypeRefused(""), .malformedResponse("m"), .truncated(received: 1, expected: 2),
        .truncated(received: 1, expected: nil), .emptyBody, .notAnImage(found: "f"), .unsupportedFormat(.png),
        .unsupportedImage(.png, reason: "r"), .corruptImage(.png, reason: "r"), .encodingFailed(.png, reason: "r"),
        .limitExceeded(.inputBytes, value: 2, allowed: 1), .limitExceeded(.headerBytes, value: 2, allowed: 1),
    ]

    @Test func everyError_hasUniqueDescription() {
        let texts = Self.all.map { ($0 as any Error).localizedDescription }
        #expect(Set(texts).count == texts.count)
        for text in texts { #expect(text.wholeMatch(of: /[A-Z].*\./) != nil, "\(text)") }
    }

    @Test func everyLimit_isNamed() {
        let limits: [ImageLoaderError.Limit] = [
            .inputBytes, .requestBytes, .headerBytes, .redirects, .imageSide, .imagePixels, .bitmapBytes, .jpegScans,
            .metadataBytes, .frames, .animationPixels, .encodedBytes,
        ]
        let errors = limits.map { ImageLoaderError.limitExceeded($0, value: 21, allowed: 20) }
        #expect(Set(errors.map(\.localizedDescription)).count == limits.count)
        #expect(errors[0].localizedDescription == "Too many bytes: 21, and the limit is 20.")
    }

    @Test(arguments: [
        ("http://me:secret@host/a?token=secret#secret", "http://host/a"),
        ("http://a@b:secret@host", "http://host"), ("me:secret@host/a//b", "host/a//b"),
        ("//me:secret@host/a", "//host/a"),
        ("http://host/a@b", "http://host/a@b"), ("?secret", "The "),
        ("http://host/" + String(repeating: "a", count: 500), "http://host/aaa"),
    ])
    func secretsInURLs_areHidden(url: String, shown: String) throws {
        for error in [
            ImageLoaderError.invalidURL(url, reason: "r"), .redirectRefused(location: url, reason: "r"),
        ] {
            let text = try #require(error.errorDescription)
            #expect(!text.contains("secret"), "\(text)")
            #expect(text.contains(shown))
            #expect(text.count < 300)
        }
    }

    @Test func underlyingError_isWrapped_withItsDescription() {
        struct Failure: LocalizedError { let errorDescription: String? = "The token has expired." }
        let error = ImageLoaderError.prepareFailed(UnderlyingError(Failure()))
        #expect(error == .prepareFailed(UnderlyingError(Failure())))
        #expect(error.localizedDescription == "The request couldn't be prepared: The token has expired.")
    }
}
