/// The outcome of ``ServerSideExperiment``.
struct ServerSideResult: Sendable {
    /// Until all pages were loaded.
    let main: ServerSidePart
    /// Pictures that the killed process had not answered for.
    let unanswered: Int
    /// After a machine was lost.
    let later: ServerSidePart
    let checks: [DirectoryCheck]
    /// What went wrong, in words.
    let troubles: [String]

    /// Requests to the origin for a picture that it had sent or confirmed less than a lifetime before.
    var needlessRequests: Int {
        let lifetime = Duration.seconds(ServerSideSetting.lifetime)
        var latest: [Int: ContinuousClock.Instant] = [:]
        return (main.originRequests + later.originRequests).count { request in
            let earlier = latest.updateValue(request.time, forKey: request.number)
            return earlier.map { $0.duration(to: request.time) < lifetime } ?? false
        }
    }

    /// The number of answers with such a verdict.
    func count(_ verdict: PictureAnswer.Verdict) -> Int {
        (main.shares + later.shares).reduce(0) { sum, share in sum + share.answers.count { $0.verdict == verdict } }
    }

    /// Whether every image was right, fresh and whole, and the origin saw no request that it needn't have seen.
    var isGood: Bool {
        troubles.isEmpty && needlessRequests == 0 && checks.allSatisfy(\.isGood)
            && count(.right) == main.requests + later.requests
    }
}
