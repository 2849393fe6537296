import Alcedo
import Crypto
import Foundation

/// The settings of the server, read from its environment.
struct Settings: Sendable {
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    var host = "127.0.0.1"
    var port = 8080
    /// The key that signs the paths of images.
    var key: SymmetricKey
    /// The named presets of options.
    var presets: [String: ImageOptions] = [:]
    /// The origins that may be in a private network, such as `http://10.0.0.5:9000`.
    var allowedOrigins: Set<String> = []
    /// The hosts from which images are loaded; nil for all public hosts.
    var allowedHosts: Set<String>?
    var cacheDirectory = FileManager.default.temporaryDirectory.appending(path: "image-server")
    var cacheBytes = 10 << 30
    /// The longest side that clients may request, in pixels.
    var maximumSide = 4_096
    /// The number of requests that may be in progress at the same time; others are answered with 503.
    var maximumLoads = 1_000
    /// The lifetime of files whose source doesn't specify one, in seconds.
    var defaultMaxAge = 3_600

    init(from environment: [String: String]) throws(Problem) {
        guard let key = environment["SIGNING_KEY"], key.utf8.count >= 32 else {
            throw Problem(description: "SIGNING_KEY must have at least 32 characters")
        }
        self.key = SymmetricKey(data: Data(key.utf8))
        func number(_ name: String, _ standard: Int, _ range: ClosedRange<Int>) throws(Problem) -> Int {
            guard let text = environment[name] else { return standard }
            guard let number = Int(text), range.contains(number) else {
                throw Problem(description: "\(name) is \"\(text)\", and must be a number in \(range)")
            }
            return number
        }
        func list(_ name: String) -> Set<String>? {
            environment[name].flatMap {
                $0.isEmpty ? nil : Set($0.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) })
            }
        }
        host = environment["HOST"] ?? host
        port = try number("PORT", port, 0...65_535)
        cacheBytes = try number("CACHE_BYTES", cacheBytes, 1...Int.max)
        maximumSide = try number("MAXIMUM_SIDE", maximumSide, 1...16_383)
        maximumLoads = try number("MAXIMUM_LOADS", maximumLoads, 1...1_000_000)
        defaultMaxAge = try number("DEFAULT_MAX_AGE", defaultMaxAge, 0...31_536_000)
        allowedOrigins = list("ALLOWED_ORIGINS") ?? []
        allowedHosts = list("ALLOWED_HOSTS")
        if let origin = allowedOrigins.first(where: { $0.wholeMatch(of: /https?:\/\/[^\/?#@]+/) == nil }) {
            throw Problem(description: "ALLOWED_ORIGINS has \"\(origin)\", not an origin like http://10.0.0.5:9000")
        }
        if let host = allowedHosts?.first(where: { $0.isEmpty || $0.contains { "/:@?# ".contains($0) } }) {
            throw Problem(description: "ALLOWED_HOSTS has \"\(host)\", and needs names of hosts")
        }
        if let directory = environment["CACHE_DIRECTORY"] {
            cacheDirectory = URL(filePath: directory, directoryHint: .isDirectory)
        }
        for preset in environment["PRESETS"]?.split(separator: ";") ?? [] {
            let parts = preset.split(separator: "=", maxSplits: 1)
            do {
                guard parts.count == 2 else { throw ImageOptions.Problem(description: "there is no =") }
                presets[String(parts[0])] = try ImageOptions(String(parts[1]), maximumSide: maximumSide)
            } catch let error {
                throw Problem(description: "PRESETS has \"\(preset)\": \(error)")
            }
        }
    }
}
