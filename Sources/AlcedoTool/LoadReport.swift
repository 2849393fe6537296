import Alcedo
import Foundation

/// The result for one URL, in the form in which it is printed.
struct LoadReport: Encodable, Equatable {
    var url: String
    var width: Int?
    var height: Int?
    var format: String?
    var source: String?
    var milliseconds: Double?
    /// The path of the saved file.
    var file: String?
    var error: String?

    init(_ url: String, _ response: ImageResponse) {
        self.url = url
        width = response.image.size.width
        height = response.image.size.height
        format = response.image.format?.rawValue
        source = response.source.rawValue
        milliseconds = (response.timings.total / .microseconds(1)).rounded() / 1000
    }

    init(_ url: String, _ failure: ImageLoaderError) {
        self.url = url
        error = "\(failure)"
    }

    /// One line for people to read.
    var line: String {
        let size = "\(width ?? 0) × \(height ?? 0)"
        let time = String(format: "%.1f ms", milliseconds ?? 0)
        let target = file.map { " → \($0)" } ?? ""
        return OneLine.of("\(url): \(format ?? "picture"), \(size), \(source ?? "") in \(time)\(target)")
    }

    mutating func save(_ bytes: Data, as name: String, in directory: String) {
        let target = URL(fileURLWithPath: directory).appendingPathComponent(name)
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
            try bytes.write(to: target)
            file = target.relativePath
        } catch {
            self.error = "not saved: \(target.relativePath): \(ErrorText.of(error))"
        }
    }
}

/// Names for saved files, derived from the URL: safe and unique.
struct FileNames {
    private var taken: Set<String> = []

    mutating func name(for url: String, _ format: ImageFormat?) -> String {
        let last = URL(string: url)?.lastPathComponent ?? ""
        let safe = last.map { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) ? $0 : "_" }
        var stem = String(safe).trimmingPrefix { $0 == "." }.prefix(80).description
        var ending = ""
        if let dot = stem.lastIndex(of: "."), dot > stem.startIndex {
            ending = String(stem[dot...])
            stem = String(stem[..<dot])
        } else if let format {
            ending = format == .jpeg ? ".jpg" : ".\(format.rawValue)"
        }
        if stem.isEmpty || stem == "_" { stem = "image" }
        var name = stem + ending
        var number = 2
        while !taken.insert(name.lowercased()).inserted {
            name = "\(stem)-\(number)\(ending)"
            number += 1
        }
        return name
    }
}
