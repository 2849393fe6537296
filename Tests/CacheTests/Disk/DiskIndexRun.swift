import AlcedoTestSupport
import Testing

@testable import Alcedo
@testable import TestFixtures

/// A random history of a disk index, and of the model beside it.
struct DiskIndexRun {
    private typealias Model = DiskIndexModel

    /// Something of the index that was handed out, and may be out of date when it comes back.
    private struct Handed {
        let number: Int
        let version: DiskIndex.Version
        let id: Int
    }

    private static let keys = (0..<32).map { StoredKey("http://h/\($0 / 4)", variant: $0 % 4 == 0 ? "" : "\($0)") }
    private static let numbers = Dictionary(uniqueKeysWithValues: keys.enumerated().map { ($1.name, $0) })
    private static let tags = (0..<5).map { "tag \($0)" }
    private static let hashes = tags.map { TagSets.hashes(of: [$0])[0] }

    private(set) var hasFailed = false
    private var random: SeededRandom
    private var index: DiskIndex
    private var model: DiskIndexModel
    private var now: UInt32 = 1_000_000
    /// Handed out and not carried out.
    private var orders: [UInt64] = []
    private var handed: [Handed] = []
    private var versions: [Int: DiskIndex.Version] = [:]
    /// Of the indexes that were read.
    private var lastVersionApart = DiskIndex.firstVersionApart
    private var seen: Set<[Int]> = []
    private var context = ""

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        index = DiskIndex(limits: .init(bytes: 0))
        model = DiskIndexModel(byteLimit: 0, countLimit: 0, timeToLive: nil)
        let limits = randomLimits()
        index = DiskIndex(limits: limits)
        model = DiskIndexModel(
            byteLimit: limits.bytes, countLimit: limits.count, timeToLive: limits.timeToLive)
    }

    // MARK: Chance

    private mutating func number(below limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

    private mutating func isOne(in chances: Int) -> Bool { number(below: chances) == 0 }

    private mutating func randomKey() -> Int { number(below: Self.keys.count) }

    private mutating func randomLimits() -> DiskIndex.Limits {
        DiskIndex.Limits(
            bytes: isOne(in: 12) ? [Int.min, 0, 1, 511, .max][number(below: 5)] : number(below: 60 * 512),
            count: isOne(in: 3) ? number(below: 30) - 1 : .max,
            timeToLive: isOne(in: 3) ? nil : number(below: 400))
    }

    private mutating func randomBytes() -> Int {
        isOne(in: 40)
            ? [Int.min, -513, -1, 0, 0xFFFF_FFFF * 512, 0xFFFF_FFFF * 512 + 1, .max - 510, .max][number(below: 8)]
            : number(below: 8 * 512)
    }

    private mutating func randomMoment() -> UInt32 {
        isOne(in: 30) ? [0, 1, .max - 1, .max][number(below: 4)] : now - 200 + UInt32(number(below: 400))
    }

    private mutating func randomFolds() -> [UInt64] {
        Self.hashes.filter { _ in isOne(in: 4) }.sorted()
    }

    private mutating func passTime() {
        switch number(below: 40) {
        case 0: now = 1_000_000 + UInt32(number(below: 2)) * 31_536_000
        case 1: now -= UInt32(number(below: 100))
        default: now += UInt32(number(below: 12))
        }
    }

    // MARK: Steps

    mutating func step(_ context: String) {
        self.context = context
        switch number(below: 100) {
        case ..<22: insert()
        case ..<37: use()
        case ..<45: remove()
        case ..<54: settle()
        case ..<62: passTime()
        case ..<74: carryOut()
        case ..<80: hearOfOthers()
        case ..<83: shrink()
        case ..<86: expire()
        case ..<89: learn()
        case ..<92: keepLeftover()
        case ..<94: takeUses()
        case ..<97: readDirectory()
        case 97: adopt()
        case 98: removeAll()
        default: changeLimits()
        }
    }

    private mutating func insert() {
        guard model.isComplete else { return }
        let (number, bytes, expires) = (randomKey(), randomBytes(), isOne(in: 3) ? randomMoment() : 0)
        let hashes = randomFolds()
        let old = model.entry(number)?.bytes ?? 0
        let victims = model.insert(number, bytes: bytes, expires: expires, tags: hashes, at: now)
        let plan = index.insert(Self.keys[number].name, bytes: bytes, expires: expires, tags: hashes, at: now)
        expect(plan.map { items($0.victims) } == victims, "other victims of an entry of \(bytes)")
        guard let plan, let entry = model.entry(number) else { return }
        expect(items([plan.mayRemain]) == [.init(number: number, bytes: max(old, entry.bytes))], "what may remain")
        expect(plan.entry == index.entry(Self.keys[number].name), "the plan is of another entry")
        note(entry, plan.version)
        handed.append(Handed(number: number, version: plan.version, id: entry.id))
        // Leftovers may have exceeded the limits.
        keepLimits()
    }

    private mutating func use() {
        let number = randomKey()
        model.notice(now)
        model.use(number, at: now, isOwn: true)
        index.recordUse(of: Self.keys[number].name, at: now)
    }

    private mutating func remove() {
        let number = randomKey()
        let isThere = model.entry(number) != nil
        model.decide(number)
        model.drop(number)
        expect(index.remove(Self.keys[number].name) == isThere, "\(number) was there: \(isThere)")
    }

    /// A write ends: well, with a smaller file or a larger one, or not at all.
    private mutating func settle() {
        guard !handed.isEmpty else { return }
        let write = handed.remove(at: number(below: handed.count))
        let isSame = model.entry(write.number)?.id == write.id
        if isOne(in: 3) {
            if isSame { model.drop(write.number) }
            let isRemoved = index.forget(Self.keys[write.number].name, version: write.version)
            expect(isRemoved == isSame, "\(write.number) was there: \(isSame)")
        } else {
            let bytes = randomBytes()
            if isSame, let rounded = Model.rounded(bytes) { model.change(write.number) { $0.bytes = rounded } }
            index.settle(Self.keys[write.number].name, write.version, bytes: bytes)
            keepLimits()
        }
    }

    private mutating func carryOut() {
        if isOne(in: 2) {
            let order = index.makeOrder()
            expect(order == model.order, "another order")
            orders.append(order)
            model.order += 1
        } else if !orders.isEmpty {
            settle(orders.removeFirst())
        }
    }

    private mutating func settle(_ order: UInt64) {
        model.decisions.removeAll { $0.order <= order }
        index.settle(order: order)
    }

    private mutating func hearOfOthers() {
        for _ in 0...number(below: 3) { apply(randomRecord()) }
        keepLimits()
    }

    private mutating func randomRecord() -> IndexRecord {
        let name = Self.keys[randomKey()].name
        switch number(below: 5) {
        case 0: return .removed(name)
        case 1: return .used(name, at: randomMoment())
        default:
            return .entry(
                name,
                IndexedEntry(
                    units: isOne(in: 40) ? .max : UInt32(number(below: 8)), lastUse: randomMoment(),
                    expires: isOne(in: 3) ? randomMoment() : 0, tags: randomFolds(), isUnread: isOne(in: 4),
                    isLeftover: isOne(in: 12)))
        }
    }

    private mutating func apply(_ record: IndexRecord) {
        model.apply(record, at: now) { Self.numbers[$0] }
        index.apply(record, at: now)
    }

    private mutating func shrink() {
        let (bytes, most) = (number(below: 40 * 512) - 512, isOne(in: 2) ? number(below: 4) : Int.max)
        let victims = model.evict(most: most) { $0.total > bytes }
        expect(items(index.trim(toBytes: bytes, most: most)) == victims, "other victims of a trim")
    }

    private mutating func expire() {
        model.notice(now)
        let most = isOne(in: 2) ? number(below: 4) : Int.max
        let old = model.evict(most: most) { [now] model in model.list.first.map { model.isOld($0, now) } ?? false }
        let due = model.list.filter { model.isDue($0, now) }.map { Model.Item(number: $0.number, bytes: $0.bytes) }
        let gone = items(index.expire(at: now, most: most))
        expect(Array(gone.prefix(old.count)) == old, "others were too old")
        let rest = gone.dropFirst(old.count)
        expect(rest.count == min(due.count, most - old.count), "not all that are due, or more")
        expect(rest.allSatisfy(due.contains) && Set(rest.map(\.number)).count == rest.count, "others were due")
        for item in rest {
            model.decide(item.number)
            model.drop(item.number)
        }
    }

    private mutating func learn() {
        guard let entry = model.list.randomElement(using: &random), let version = versions[entry.id] else { return }
        // One in four comes too late.
        let isLate = isOne(in: 4)
        let (expires, hashes) = (isOne(in: 2) ? randomMoment() : 0, randomFolds())
        if !isLate {
            model.change(entry.number) {
                ($0.expires, $0.tags, $0.isUnread) = (expires, hashes, false)
            }
        }
        index.learn(Self.keys[entry.number].name, version &- (isLate ? 1 : 0), expires: expires, tags: hashes)
    }

    private mutating func keepLeftover() {
        let (number, bytes) = (randomKey(), randomBytes())
        model.keepLeftover(number, bytes: bytes, at: now)
        index.keepLeftover(DiskIndex.Item(name: Self.keys[number].name, bytes: bytes), at: now)
    }

    private mutating func takeUses() {
        let used = model.list.filter(\.isUsed).map { IndexRecord.used(Self.keys[$0.number].name, at: $0.lastUse) }
        for place in model.list.indices { model.list[place].isUsed = false }
        let uses = index.takeUses()
        expect(uses.count == used.count && Set(uses) == Set(used), "other uses")
    }

    /// An order that read the directory ends, as all before it; it may have begun before all was removed.
    private mutating func readDirectory() {
        guard let order = orders.first else { return }
        orders.removeFirst()
        settle(order)
        let files = isOne(in: 4) ? nil : randomFiles()
        let victims = model.complete(with: files, by: order, at: now)
        let found = files?.map {
            DiskIndex.Found(name: Self.keys[$0.number].name, bytes: $0.bytes, modified: $0.modified)
        }
        expect(items(index.complete(with: found, by: order, at: now)) == victims, "other victims of a directory")
    }

    private mutating func randomFiles() -> [Model.File] {
        (0..<Self.keys.count).shuffled(using: &random).prefix(number(below: Self.keys.count)).map {
            Model.File(number: $0, bytes: randomBytes(), modified: randomMoment())
        }
    }

    /// An order that read the index file ends.
    private mutating func adopt() {
        guard let order = orders.first else { return }
        orders.removeFirst()
        settle(order)
        var read = (index: DiskIndex(limits: index.limits, lastVersion: lastVersionApart), model: model)
        (read.model.list, read.model.decisions, read.model.emptied) = ([], [], 0)
        // The index file, which is the snapshot of what there was, and what came behind it.
        var records: [IndexRecord] = []
        _ = IndexLog.read(IndexLog.bytes(of: index.records)) { records.append($0) }
        for record in records.filter({ _ in !isOne(in: 5) }) + (0..<number(below: 9)).map({ _ in randomRecord() }) {
            read.model.apply(record, at: now) { Self.numbers[$0] }
            read.index.apply(record, at: now)
        }
        let files = isOne(in: 2) ? nil : randomFiles()
        _ = read.model.complete(with: files, by: 0, at: now)
        _ = read.index.complete(
            with: files?.map { .init(name: Self.keys[$0.number].name, bytes: $0.bytes, modified: $0.modified) }, by: 0,
            at: now)
        let victims = model.adopt(read.model, by: order)
        lastVersionApart = read.index.lastVersion
        expect(items(index.adopt(&read.index, by: order)) == victims, "other victims of what was read")
    }

    private mutating func removeAll() {
        guard isOne(in: 8) else { return }
        model.removeAll()
        index.removeAll()
    }

    private mutating func changeLimits() {
        let limits = randomLimits()
        (model.byteLimit, model.countLimit, model.timeToLive) = (limits.bytes, limits.count, limits.timeToLive)
        keepLimits()
    }

    /// What others did, and files that became larger, may have broken the limits.
    private mutating func keepLimits() {
        let limits = DiskIndex.Limits(bytes: model.byteLimit, count: model.countLimit, timeToLive: model.timeToLive)
        let victims = model.isComplete ? model.keepLimits() : []
        expect(items(index.change(limits)) == victims, "other victims of limits")
    }

    // MARK: Comparing

    private mutating func expect(_ holds: Bool, _ comment: @autoclosure () -> String) {
        if holds { return }
        hasFailed = true
        must(false, "\(comment()): \(context)")
    }

    private func items(_ items: [DiskIndex.Item]) -> [Model.Item] {
        items.map { Model.Item(number: Self.numbers[$0.name] ?? -1, bytes: $0.bytes) }
    }

    /// An entry has one version as long as it is there, and no other of its name ever had that.
    private mutating func note(_ entry: Model.Entry, _ version: DiskIndex.Version) {
        if let known = versions[entry.id] {
            expect(known == version, "\(entry.number) has changed its version")
        } else {
            versions[entry.id] = version
            expect(seen.insert([entry.number, Int(version)]).inserted, "\(entry.number) had this version before")
        }
    }

    mutating func verify(_ context: String) {
        self.context = context
        if let broken = index.brokenInvariant { expect(false, broken) }
        expect(index.isComplete == model.isComplete, "completeness")
        expect(index.totalBytes == model.total && index.count == model.list.count, "sums")
        expect(index.unreadCount == model.list.count(where: \.isUnread), "the number of unread ones")
        let records = model.list.map { IndexRecord.entry(Self.keys[$0.number].name, Self.described($0)) }
        expect(index.records == records, "other records, or in another order")
        let found = model.list.filter { [model, now] in model.isFound($0, now) }.map { Self.keys[$0.number].name }
        expect(index.names(at: now) == found, "other names, or in another order")
        for number in Self.keys.indices { verifyPresence(number) }
        verifySelections()
    }

    private mutating func verifyPresence(_ number: Int) {
        let name = Self.keys[number].name
        let presence = index.presence(of: name, at: now)
        guard let entry = model.entry(number) else {
            let isKnown = model.isComplete || model.isOutstanding(number)
            expect(presence == (isKnown ? .absent : .unknown), "\(number) is \(presence)")
            expect(index.item(of: name).bytes == 0 && index.entry(name) == nil, "\(number) is counted")
            return
        }
        if case .present(let version) = presence { note(entry, version) }
        expect((presence != .absent) == model.isFound(entry, now) && presence != .unknown, "\(number) is \(presence)")
        expect(index.item(of: name).bytes == entry.bytes, "\(number) has another size")
        expect(index.entry(name) == Self.described(entry), "\(number) is another one")
    }

    private mutating func verifySelections() {
        let (source, tag) = (number(below: 8), number(below: Self.tags.count))
        let ofSource = index.names(ofSource: EntryName.digest(ofSource: "http://h/\(source)"))
        let numbers = model.list.filter { !$0.isLeftover && $0.number / 4 == source }.map(\.number)
        expect(Self.isSame(ofSource, numbers), "others of a source")
        let tagged = model.list.filter { !$0.isLeftover && $0.tags.contains(Self.hashes[tag]) }.map(\.number)
        expect(Self.isSame(index.names(withTag: Self.tags[tag]), tagged), "others with a tag")
        let unread = model.list.filter(\.isUnread).map(\.number)
        expect(Self.isSame(index.unread.map(\.name), unread), "others are unread")
    }

    private static func isSame(_ names: [EntryName], _ expected: [Int]) -> Bool {
        names.count == expected.count && Set(names.map { numbers[$0] ?? -1 }) == Set(expected)
    }

    private static func described(_ entry: Model.Entry) -> IndexedEntry {
        IndexedEntry(
            units: UInt32(entry.bytes / 512), lastUse: entry.lastUse, expires: entry.expires, tags: entry.tags,
            isUnread: entry.isUnread, isLeftover: entry.isLeftover)
    }
}
