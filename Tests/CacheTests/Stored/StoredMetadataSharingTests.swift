import Foundation
import Testing

@testable import Alcedo
@testable import TestFixtures

/// The entries that may be shared between machines.
@Suite struct StoredMetadataSharingTests {
    private let key = StoredKey("http://h/a")
    private let directoryKey = DirectoryKey(secret: Data(repeating: 7, count: 32))

    private func isShareable(_ key: StoredKey, _ headers: HTTPHeaders?) -> Bool {
        var properties = EntryMetadata(source: key.source)
        properties.response = headers.map {
            StoredResponse(headers: $0, freshness: Freshness(endSecond: 9), version: 1)
        }
        // As a store returns it.
        return StoredMetadata(bytes: StoredMetadata(properties, for: key).bytes)?.isShareable ?? false
    }

    @Test(
        arguments: [
            nil, [:], ["Cache-Control": "public, max-age=60"], ["Cache-Control": "no-cache"], ["Set-Cookie": "private"],
        ] as [HTTPHeaders?])
    func responseForEveryone_isShareable(_ headers: HTTPHeaders?) {
        #expect(isShareable(key, headers))
        #expect(isShareable(key.made(as: "10 × 10"), headers))
    }

    @Test(arguments: [
        "private", "Private", "max-age=60, private", "private=\"x-user\"", "no-store", "no-store, public",
        String(repeating: "a, ", count: 10_000) + "private",
    ])
    func responseForOneUser_isNot(_ control: String) {
        #expect(!isShareable(key, ["Cache-Control": control]))
        #expect(!isShareable(key.made(as: "10 × 10"), ["Cache-Control": control]))
    }

    @Test func whatSelectsAnEntry_isPrivate_unlessItHoldsForAllUsers() throws {
        var settings = DownloadCoordinator.Settings()
        func isPrivate(_ change: (inout ImageRequest) -> Void = { _ in }) throws -> Bool {
            var request = try ImageRequest("http://h/a")
            change(&request)
            return ResourceKey(request, in: settings.scope).splitSecret.isPrivate
        }
        #expect(try !isPrivate())
        settings.network = .publicInternet
        settings.cacheKeys = .custom(id: "1\nfield a 1 1\n") { $0.absoluteString }
        #expect(try !isPrivate())
        #expect(try isPrivate { $0.headers["X-User"] = "1" })
        #expect(try isPrivate { $0.credentials = .init(user: "a", password: "b") })
        #expect(try isPrivate { $0.method = .post })
        settings.headers["X-User"] = "1"
        #expect(try isPrivate())
        settings.headers = [:]
        settings.prepare = RequestPreparation(id: "a") { _ in }
        #expect(try isPrivate())
        let key = ResourceKey(try ImageRequest("http://user:pass@h/a"))
        #expect(key.splitSecret.isPrivate && !key.isPrivate)
    }

    @Test(arguments: [true, false]) func keyOfAProcessedImage_isToldFromThatOfItsOriginal(_ isPrivate: Bool) {
        let selected = StoredKey("http://h/a", secret: "s", isPrivate: isPrivate, under: directoryKey)
        for key in [StoredKey("http://h/a"), selected, selected.withoutSecret] {
            #expect(!key.isProcessed && key.made(as: "8").isProcessed)
        }
    }

    @Test func entryOfASecret_isNot() {
        let secret = StoredKey("http://h/a", secret: "user", under: directoryKey)
        for key in [secret, secret.withoutSecret, secret.made(as: "10 × 10")] {
            #expect(key.isPrivate && !isShareable(key, ["Cache-Control": "public"]))
        }
        let policy = StoredKey("http://h/a", secret: "network", isPrivate: false, under: directoryKey)
        #expect(isShareable(policy, [:]) && isShareable(policy.made(as: "10 × 10"), [:]))
        // The mark may be a part of a source.
        #expect(!StoredKey("http://h/variant").isPrivate && !StoredKey("http://h/a").made(as: "v").isPrivate)
        #expect(!StoredKey("a\nvariant b").isPrivate)
    }
}
