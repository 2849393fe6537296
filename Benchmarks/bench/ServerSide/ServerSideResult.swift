/// The outcome of ``ServerSideExperiment``.
struct ServerSideResult: Sendable {
    /// The part until all pages were loaded.
    let main: ServerSidePart
    /// The number of images for which the killed process hadn't answered.
    let unanswered: Int
    /// The part after a machine was lost.
    let later: ServerSidePart
    let checks: [DirectoryCheck]
    /// Descriptions of all problems.
    let troubles: [String]

    /// The requests to the origin for an image that it had sent or confirmed less than a lifetime before.
    var needlessRequests: Int {
        let lifetime = Duration.seconds(ServerSideSetting.lifetime)
        var latest: [Int: ContinuousClock.Instant] = [:]
        return (main.originRequests + later.originRequests).count { request in
            let earlier = latest.updateValue(request.time, forKey: request.number)
            return earlier.map { $0.duration(to: request.time) < lifetime } ?? false
        }
    }

    /// The number of answers with the given verdict.
    func count(_ verdict: PictureAnswer.Verdict) -> Int {
        (main.shares + later.shares).reduce(0) { sum, share in sum + share.answers.count { $0.verdict == verdict } }
    }

    /// Whether every image was right, fresh and intact, and the origin saw no needless request.
    var isGood: Bool {
        troubles.isEmpty && needlessRequests == 0 && checks.allSatisfy(\.isGood)
            && count(.right) == main.requests + later.requests
    }
}
