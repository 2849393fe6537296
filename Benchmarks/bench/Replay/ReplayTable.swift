/// The hit ratios of all policies, on all traces, at all sizes.
struct ReplayTable: Sendable {
    /// One trace and one size.
    struct Cell: Sendable {
        let trace: String
        /// The cache size in percent of the footprint.
        let share: Int
        fileprivate let ratios: [ReplayedPolicy: HitRatio]

        func ratio(of policy: ReplayedPolicy) -> HitRatio { ratios[policy] ?? .none }
    }

    let cells: [Cell]

    /// The table of all traces. They are replayed on first access.
    static let shared = Result { try ReplayTable() }

    private init() throws {
        if TraceFile.folder == nil { printError("ALCEDO_TRACES names no folder, so adaptsize-web is not replayed") }
        cells = try TraceSource.all.flatMap { name, origin in
            let trace = try TraceSource.trace(name, origin)
            return TraceSource.shares.map { share in
                let limit = trace.footprint / 100 * share
                let ratios = ReplayedPolicy.all.map { ($0, $0.replay(trace, limit: limit)) }
                return Cell(trace: name, share: share, ratios: Dictionary(uniqueKeysWithValues: ratios))
            }
        }
    }
}
