import Alcedo

/// The loads of one process in a part of the experiment.
struct Share: Sendable {
    /// The source of an image.
    enum Origin: CaseIterable {
        case memory
        case disk
        /// Memory or disk, after the proxy had confirmed the copy.
        case confirmed
        /// The proxy.
        case fetched
        /// Another load of the process, which asked the proxy.
        case shared
    }

    let name: String
    var answers: [PictureAnswer] = []
    var troubles: [String] = []

    mutating func add(_ page: PictureProcess.Page) {
        answers += page.answers
        troubles += page.troubles
    }

    func count(_ origin: Origin) -> Int { answers.count { $0.origin == origin } }

    /// The number of different images that were fetched from the proxy.
    var fetchedPictures: Int { Set(answers.filter { $0.origin == .fetched }.map(\.number)).count }

    /// The sum of shares, under a new name.
    static func sum(of shares: [Share], name: String) -> Share {
        Share(name: name, answers: shares.flatMap(\.answers), troubles: shares.flatMap(\.troubles))
    }
}

extension PictureAnswer {
    var origin: Share.Origin {
        switch asking {
        case .nothing: source == .memory ? .memory : .disk
        case .asked: source == .network ? .fetched : .confirmed
        case .shared: .shared
        }
    }
}
