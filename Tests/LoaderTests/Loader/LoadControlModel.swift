@testable import Alcedo

/// Controls that follow each other, as lists: each knows all that happened in the download it was last told of.
struct LoadControlModel {
    /// One attempt at a download, with everything that happened in it.
    struct Story {
        /// Tells attempts apart; 0 before the first.
        var number = 0
        var events: [DownloadEvent] = []

        var hasEnded: Bool { events.contains { if case .ended = $0 { true } else { false } } }
        var hasHead: Bool { events.contains { if case .response = $0 { true } else { false } } }
        var received: Int {
            events.reduce(0) { if case .progress(let received, _) = $1 { max($0, received) } else { $0 } }
        }
    }

    /// What a reader has been told of the attempt it last heard of.
    struct Reader {
        var story = 0
        var told: [DownloadEvent] = []
    }

    private(set) var stories: [Story]
    private(set) var followers: [[Int]]
    private(set) var isOver: [Bool]
    private var lastStory = 0

    init(count: Int) {
        stories = Array(repeating: Story(), count: count)
        followers = Array(repeating: [], count: count)
        isOver = Array(repeating: false, count: count)
    }

    // MARK: What happens

    mutating func start(_ control: Int, attempt: Int) { begin(control, with: .started(attempt: attempt)) }

    /// A response, progress or an end; nothing comes after an end. Those who follow are told of it all the same, and
    /// may have heard of another download meanwhile.
    mutating func append(_ event: DownloadEvent, to control: Int) {
        if stories[control].events.isEmpty { return begin(control, with: event) }
        if !stories[control].hasEnded { stories[control].events.append(event) }
        tellFollowers(of: control)
    }

    private mutating func begin(_ control: Int, with event: DownloadEvent) {
        lastStory += 1
        stories[control] = Story(number: lastStory, events: [event])
        tellFollowers(of: control)
    }

    private mutating func tellFollowers(of control: Int) {
        for follower in followers[control] where !isOver[follower] {
            stories[follower] = stories[control]
            tellFollowers(of: follower)
        }
    }

    mutating func add(_ follower: Int, to control: Int) {
        if !followers[control].contains(follower) { followers[control].append(follower) }
        guard !stories[control].events.isEmpty, !isOver[follower] else { return }
        stories[follower] = stories[control]
        tellFollowers(of: follower)
    }

    mutating func remove(_ follower: Int, from control: Int) { followers[control].removeAll { $0 == follower } }

    /// It receives nothing more.
    mutating func finish(_ control: Int) { isOver[control] = true }

    // MARK: What is read

    /// The first that happened and was not told; of progress, the newest only, and only if there is more of it.
    func reading(_ control: Int, _ reader: inout Reader) -> LoadControl.Reading {
        let story = stories[control]
        if reader.story != story.number { reader = Reader(story: story.number) }
        let toldBytes = Story(events: reader.told).received
        let next = story.events.first { event in
            if case .progress(let received, _) = event { return received == story.received && received > toldBytes }
            return !reader.told.contains(event)
        }
        if let next {
            reader.told.append(next)
            return .event(next)
        }
        return isOver[control] ? .over : .nothingYet
    }
}
