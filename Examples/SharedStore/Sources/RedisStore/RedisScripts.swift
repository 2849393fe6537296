/// Scripts that the server runs, each in one step.
///
/// An entry is a hash with its metadata, its body, its version, and the names of the sets that contain its digest: one
/// for its source, and one for each of its tags. A look-up finds an entry only if all its sets contain it. A server
/// that is out of memory may therefore evict any of the keys: what a removal couldn't find isn't found either.
enum RedisScripts {
    /// `KEYS`: the entry, its lease. `ARGV`: the digest, `1` if the body is needed, the caller's name, and how long it
    /// gets the lease if there is no entry, in milliseconds.
    ///
    /// Returns the entry, 0 if there is none, or 1 if there is none and another caller has the lease.
    static let find = """
        local sets = redis.call('HGET', KEYS[1], 'sets')
        if sets then
            local isFound = true
            for _, set in ipairs(cmsgpack.unpack(sets)) do
                if redis.call('SISMEMBER', set, ARGV[1]) == 0 then isFound = false end
            end
            if isFound and ARGV[2] == '1' then return redis.call('HMGET', KEYS[1], 'metadata', 'body') end
            if isFound then return redis.call('HMGET', KEYS[1], 'metadata') end
            redis.call('UNLINK', KEYS[1])
        end
        if ARGV[4] == '0' or redis.call('SET', KEYS[2], ARGV[3], 'NX', 'PX', ARGV[4]) then return 0 end
        return redis.call('GET', KEYS[2]) == ARGV[3] and 0 or 1
        """

    /// `KEYS`: the entry, its lease. `ARGV`: the digest, the time to live in milliseconds, the version, the metadata,
    /// the names of the sets, and the body last.
    static let store = """
        redis.call('UNLINK', KEYS[1], KEYS[2])
        if tonumber(ARGV[2]) <= 0 then return 0 end
        redis.call('HSET', KEYS[1], 'version', ARGV[3], 'body', table.remove(ARGV))
        \(index)
        """

    /// The same without a body. Replaces the metadata of an entry of the same version.
    static let renew = """
        if ARGV[3] == '' or redis.call('HGET', KEYS[1], 'version') ~= ARGV[3] then return 0 end
        if tonumber(ARGV[2]) <= 0 then return redis.call('UNLINK', KEYS[1]) end
        \(index)
        """

    private static let index = """
        local sets = {unpack(ARGV, 5)}
        redis.call('HSET', KEYS[1], 'metadata', ARGV[4], 'sets', cmsgpack.pack(sets))
        redis.call('PEXPIRE', KEYS[1], ARGV[2])
        for _, set in ipairs(sets) do
            redis.call('SADD', set, ARGV[1])
            if redis.call('PTTL', set) < tonumber(ARGV[2]) then redis.call('PEXPIRE', set, ARGV[2]) end
        end
        return 1
        """

    private static let isMember = """
        local function isMember(entry, set)
            local sets = redis.call('HGET', entry, 'sets')
            for _, name in ipairs(sets and cmsgpack.unpack(sets) or {}) do
                if name == set then return true end
            end
            return false
        end
        """

    /// `KEYS`: a set. `ARGV`: the beginning of the names of entries, a number. Removes at most this number of its
    /// entries. Returns 0 once there are none left.
    static let remove = """
        \(isMember)
        local digests = redis.call('SPOP', KEYS[1], ARGV[2])
        for _, digest in ipairs(digests) do
            if isMember(ARGV[1] .. digest, KEYS[1]) then redis.call('UNLINK', ARGV[1] .. digest) end
        end
        return #digests
        """

    /// `KEYS`: a set. `ARGV`: the beginning of the names of entries, a cursor. Returns the next cursor, which is 0 at
    /// the end, and the metadata of some entries. Members whose entries are gone are removed from the set.
    static let list = """
        \(isMember)
        local page = redis.call('SSCAN', KEYS[1], ARGV[2], 'COUNT', 256)
        local found = {page[1]}
        for _, digest in ipairs(page[2]) do
            if isMember(ARGV[1] .. digest, KEYS[1]) then
                found[#found + 1] = redis.call('HGET', ARGV[1] .. digest, 'metadata')
            else
                redis.call('SREM', KEYS[1], digest)
            end
        end
        return found
        """

    /// `ARGV`: the beginning of the names of entries, a cursor. Like ``list`` for all entries.
    static let listAll = """
        local page = redis.call('SCAN', ARGV[2], 'MATCH', ARGV[1] .. '*', 'COUNT', 256)
        local found = {page[1]}
        for _, entry in ipairs(page[2]) do
            local metadata = redis.call('HGET', entry, 'metadata')
            if metadata then found[#found + 1] = metadata end
        end
        return found
        """

    /// `ARGV`: the beginning of all names, a cursor. Removes some keys. Returns the next cursor.
    static let removeAll = """
        local page = redis.call('SCAN', ARGV[2], 'MATCH', ARGV[1] .. '*', 'COUNT', 256)
        for _, key in ipairs(page[2]) do redis.call('UNLINK', key) end
        return {page[1]}
        """
}
