import Foundation

/// Work that both libraries do in turns.
struct PeerCase: Sendable {
    let name: String
    /// The number of operations by which the time is divided.
    let operations: Int
    let run: @Sendable (any Peer) async throws -> Void

    /// The result of a case: medians of rounds, in seconds.
    struct Result {
        let alcedo: Double
        let nuke: Double
        let ratio: Double
    }

    private static let warmUps = 2
    private static let rounds = 21

    /// Measures both in turns. The one that begins changes from round to round.
    func measure(_ alcedo: some Peer, _ nuke: some Peer) async throws -> Result {
        var times: [(alcedo: Double, nuke: Double)] = []
        for round in 0..<Self.warmUps + Self.rounds {
            let early = round.isMultiple(of: 2) ? nil : try await time(of: nuke)
            let ours = try await time(of: alcedo)
            let theirs = if let early { early } else { try await time(of: nuke) }
            if round >= Self.warmUps { times.append((ours, theirs)) }
        }
        return Result(
            alcedo: Self.median(times.map(\.alcedo)), nuke: Self.median(times.map(\.nuke)),
            ratio: Self.median(times.map { $0.alcedo / $0.nuke }))
    }

    private func time(of peer: any Peer) async throws -> Double {
        let time = try await ContinuousClock().measure { try await run(peer) }
        return time / .seconds(1) / Double(operations)
    }

    /// The number of rounds is odd.
    private static func median(_ values: [Double]) -> Double { values.sorted()[values.count / 2] }
}
