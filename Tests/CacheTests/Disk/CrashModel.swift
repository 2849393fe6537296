import Alcedo
import Foundation

/// What a script leaves in the directory, by a model of its own.
struct CrashModel {
    private struct Entry {
        let store: CrashScript.Store
        let step: Int
        var length: Int

        func isExpired(at step: Int) -> Bool { store.expires.map { $0 <= step } ?? false }
    }

    private let script: CrashScript
    /// The one used longest ago first.
    private var entries: [Entry] = []

    init(_ script: CrashScript) { self.script = script }

    /// What was there at a flush and in every state up to the next one, and has not expired when all is over.
    static func mustBeThere(_ script: CrashScript, afterFlushAt flush: Int) -> [Int: Data] {
        var model = CrashModel(script)
        var sure: [Entry] = []
        for (number, step) in script.steps.enumerated() {
            model.apply(step, number)
            if number == flush { sure = model.entries.filter { !$0.isExpired(at: CrashScript.stepCount) } }
            guard number > flush else { continue }
            if case .flush = step { break }
            sure.removeAll { sure in !model.entries.contains { $0.step == sure.step } }
            // A write or an update of it may be under way when the process is killed.
            if case .updateMetadata(let key) = step { sure.removeAll { $0.store.key == key } }
        }
        var bodies: [Int: Data] = [:]
        for entry in sure { bodies[entry.store.key] = script.body(entry.store, step: entry.step) }
        return bodies
    }

    private mutating func apply(_ step: CrashScript.Step, _ number: Int) {
        switch step {
        case .store(let store): add(store, number)
        case .remove(let key): entries.removeAll { $0.store.key == key }
        case .removeTag(let tag): entries.removeAll { $0.store.tag == tag }
        case .removeExpired: entries.removeAll { $0.isExpired(at: number) }
        case .use(let key):
            if let place = place(of: key, at: number) { entries.append(entries.remove(at: place)) }
        case .updateMetadata(let key):
            guard let place = place(of: key, at: number) else { return }
            // Room is made for all that it may take, and what is not needed is given back.
            var entry = entries.remove(at: place)
            makeRoom(for: blocks(entry.length) + CrashScript.block)
            entry.length += tailLength(entry.store)
            entries.append(entry)
        case .removeAll: entries = []
        case .flush: break
        }
    }

    private mutating func add(_ store: CrashScript.Store, _ number: Int) {
        entries.removeAll { $0.store.key == store.key }
        let entry = Entry(store: store, step: number, length: store.bytes + tailLength(store))
        let count = entries.count
        makeRoom(for: blocks(entry.length))
        if store.isLowOnSpace, entries.count == count {
            // Nothing had to go for the limit: something goes for the free space.
            keep(bytes - CrashScript.missing)
            guard entries.count < count else { return }
        }
        entries.append(entry)
    }

    private func place(of key: Int, at number: Int) -> Int? {
        entries.firstIndex { $0.store.key == key && !$0.isExpired(at: number) }
    }

    private func tailLength(_ store: CrashScript.Store) -> Int {
        CrashScript.key(store.key).text.utf8.count + script.metadata(store).encoded.count + EntryFile.trailerLength
    }

    private func blocks(_ length: Int) -> Int {
        (length + CrashScript.block - 1) / CrashScript.block * CrashScript.block
    }

    private var bytes: Int { entries.reduce(0) { $0 + blocks($1.length) } }

    private mutating func makeRoom(for bytes: Int) { keep(script.byteLimit - bytes) }

    private mutating func keep(_ most: Int) {
        while bytes > most, !entries.isEmpty { entries.removeFirst() }
    }
}
