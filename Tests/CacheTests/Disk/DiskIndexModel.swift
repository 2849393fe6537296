import Alcedo

/// What a disk index is to decide, as a list that is searched from end to end. It has entries by number, and shares no
/// code with the index.
struct DiskIndexModel {
    struct Entry {
        let number: Int
        /// Another one for each entry there ever was.
        var id: Int
        var bytes: Int
        var lastUse: UInt32
        var expires: UInt32 = 0
        var tags: [UInt64] = []
        var isUnread = false
        var isLeftover = false
        var isUsed = false
    }

    struct Item: Equatable {
        let number: Int
        let bytes: Int
    }

    struct File {
        let number: Int
        let bytes: Int
        let modified: UInt32
    }

    var byteLimit: Int
    var countLimit: Int
    var timeToLive: Int?
    /// The one used longest ago first.
    var list: [Entry] = []
    var isComplete = false
    /// Decided and not carried out: the number of the entry, and of the order that does it.
    var decisions: [(number: Int, order: UInt64)] = []
    var order: UInt64 = 1
    var emptied: UInt64 = 0
    private var lastID = 0

    init(byteLimit: Int, countLimit: Int, timeToLive: Int?) {
        self.byteLimit = byteLimit
        self.countLimit = countLimit
        self.timeToLive = timeToLive
    }

    var total: Int { list.reduce(0) { $0 + $1.bytes } }

    func entry(_ number: Int) -> Entry? { list.first { $0.number == number } }

    func isOutstanding(_ number: Int) -> Bool { decisions.contains { $0.number == number } }

    func isOld(_ entry: Entry, _ now: UInt32) -> Bool { timeToLive.map { Int(now) - Int(entry.lastUse) > $0 } ?? false }

    func isDue(_ entry: Entry, _ now: UInt32) -> Bool { entry.expires != 0 && entry.expires <= now }

    func isFound(_ entry: Entry, _ now: UInt32) -> Bool {
        !entry.isLeftover && !isOld(entry, now) && !isDue(entry, now)
    }

    /// Whole blocks of 512; nil when that is more than 2³² - 1 of them.
    static func rounded(_ bytes: Int) -> Int? {
        guard bytes >= 0, bytes <= 0xFFFF_FFFF * 512 else { return nil }
        var blocks = bytes / 512
        if blocks * 512 < bytes { blocks += 1 }
        return blocks * 512
    }

    // MARK: Events

    /// Nothing was used later than now.
    mutating func notice(_ now: UInt32) {
        for place in list.indices { list[place].lastUse = min(list[place].lastUse, now) }
    }

    mutating func change(_ number: Int, _ body: (inout Entry) -> Void) {
        if let place = list.firstIndex(where: { $0.number == number }) { body(&list[place]) }
    }

    mutating func use(_ number: Int, at time: UInt32, isOwn: Bool) {
        guard let place = list.firstIndex(where: { $0.number == number }) else { return }
        var entry = list.remove(at: place)
        entry.lastUse = time
        if isOwn { entry.isUsed = true }
        list.append(entry)
    }

    mutating func append(_ entry: Entry) {
        lastID += 1
        var entry = entry
        entry.id = lastID
        list.append(entry)
    }

    mutating func decide(_ number: Int) { decisions.append((number, order)) }

    mutating func drop(_ number: Int) { list.removeAll { $0.number == number } }

    mutating func insert(_ number: Int, bytes: Int, expires: UInt32, tags: [UInt64], at now: UInt32) -> [Item]? {
        notice(now)
        decide(number)
        // What is above the limits does not become more.
        let (mostBytes, most) = (max(byteLimit, total), max(countLimit, list.count))
        drop(number)
        guard let bytes = Self.rounded(bytes), bytes <= byteLimit, countLimit > 0 else { return nil }
        let victims = evict { $0.total > mostBytes - bytes || $0.list.count + 1 > most }
        append(Entry(number: number, id: 0, bytes: bytes, lastUse: now, expires: expires, tags: tags))
        return victims
    }

    mutating func keepLeftover(_ number: Int, bytes: Int, at now: UInt32) {
        notice(now)
        guard isComplete, entry(number) == nil, let bytes = Self.rounded(bytes), bytes <= byteLimit else { return }
        decide(number)
        append(Entry(number: number, id: 0, bytes: bytes, lastUse: now, isLeftover: true))
    }

    mutating func removeAll() {
        list = []
        isComplete = true
        emptied = order
    }

    mutating func evict(most: Int = .max, while isTooMuch: (Self) -> Bool) -> [Item] {
        var victims: [Item] = []
        while victims.count < most, let oldest = list.first, isTooMuch(self) {
            decide(oldest.number)
            list.removeFirst()
            victims.append(Item(number: oldest.number, bytes: oldest.bytes))
        }
        return victims
    }

    mutating func keepLimits() -> [Item] {
        evict { $0.total > $0.byteLimit || $0.list.count > $0.countLimit }
    }

    // MARK: What others, and the directory, say

    /// - Parameter number: of the entry of a name; nil when it is none of these.
    mutating func apply(_ record: IndexRecord, at now: UInt32, number: (EntryName) -> Int?) {
        notice(now)
        switch record {
        case .entry(let name, let told):
            guard let number = number(name) else { return }
            let entry = Entry(
                number: number, id: 0, bytes: Int(told.units) * 512, lastUse: told.lastUse, expires: told.expires,
                tags: told.tags, isUnread: told.isUnread && !told.isLeftover, isLeftover: told.isLeftover)
            tell(entry, at: now)
        case .removed(let name):
            if let number = number(name), !isOutstanding(number) { drop(number) }
        case .used(let name, let time):
            if let number = number(name), let entry = entry(number) {
                use(number, at: max(entry.lastUse, min(time, now)), isOwn: false)
            }
        }
    }

    private mutating func tell(_ entry: Entry, at now: UInt32) {
        guard !isOutstanding(entry.number) else { return }
        drop(entry.number)
        var entry = entry
        entry.lastUse = min(entry.lastUse, now)
        append(entry)
    }

    mutating func complete(with files: [File]?, by order: UInt64, at now: UInt32) -> [Item] {
        guard order >= emptied else { return [] }
        notice(now)
        if let files { reconcile(with: files, at: now) }
        isComplete = true
        return keepLimits()
    }

    private mutating func reconcile(with files: [File], at now: UInt32) {
        let isKept = list.map { entry in
            isOutstanding(entry.number) || files.contains { $0.number == entry.number }
        }
        var known = zip(list, isKept).filter(\.1).map(\.0)
        var fresh: [Entry] = []
        for file in files where !isOutstanding(file.number) {
            let bytes = Self.rounded(max(0, file.bytes)) ?? 0xFFFF_FFFF * 512
            if let place = known.firstIndex(where: { $0.number == file.number }) {
                known[place].bytes = bytes
            } else {
                lastID += 1
                fresh.append(
                    Entry(
                        number: file.number, id: lastID, bytes: bytes, lastUse: min(file.modified, now),
                        isUnread: true))
            }
        }
        // The most naive of sorts: of those that remain, the first of the least goes on.
        var rest = fresh + known
        list = []
        while let least = rest.map(\.lastUse).min(), let place = rest.firstIndex(where: { $0.lastUse == least }) {
            list.append(rest.remove(at: place))
        }
    }

    mutating func adopt(_ read: Self, by order: UInt64) -> [Item] {
        guard order >= emptied else { return [] }
        let own = list.filter { isOutstanding($0.number) }
        list = []
        for entry in read.list where !isOutstanding(entry.number) { append(entry) }
        list += own
        isComplete = true
        return keepLimits()
    }
}
