/// The available traces, generated or read once.
enum TraceSource {
    enum Origin: Sendable {
        case generated
        case file(path: String)
    }

    static let all: [(name: String, origin: Origin)] =
        TraceFile.all.map { ($0.name, .file(path: $0.path)) } + GeneratedTraces.names.map { ($0, .generated) }

    /// The cache sizes as shares of a trace's footprint, in percent.
    static let shares = [1, 5, 20]

    static func trace(_ name: String, _ origin: Origin) throws -> Trace {
        switch origin {
        case .generated: GeneratedTraces.make(name)
        case .file(let path): try TraceFile.read(name, path)
        }
    }
}
