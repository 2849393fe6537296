#if os(Linux) && Curl
import CCurl

/// An easy handle with the memory that must stay in place for it: the list of fields and the error text.
///
/// Used on the loader's thread only. Handles are reused where possible, because creating one is slow.
final class CurlHandle {
    /// From 7.83 until the fix after 8.1, libcurl keeps a pointer to the last field of a handle's last response, and
    /// writes there when the next response begins with a continuation line (curl's issue 11101).
    static let isReusable = !(0x07_5300..<0x08_0200).contains(curl_version_info(CURLVERSION_FIRST).pointee.version_num)

    let easy: UnsafeMutableRawPointer
    private let errorText: UnsafeMutableRawBufferPointer
    private var fields: UnsafeMutablePointer<curl_slist>?
    /// The plan that the handle is configured for.
    var plan: CurlOptions.Plan?
    /// Closes the sockets of connections, which belong to the handle if it isn't in a loop.
    var connections: CurlConnections?

    init() {
        guard let easy = curl_easy_init() else { preconditionFailure("out of memory") }
        self.easy = easy
        errorText = .allocate(byteCount: Int(CURL_ERROR_SIZE), alignment: 1)
        prepare()
    }

    deinit {
        curl_easy_cleanup(easy)
        curl_slist_free_all(fields)
        errorText.deallocate()
    }

    /// Resets the handle to its initial state, without anything from the last request.
    func reset() {
        curl_easy_reset(easy)
        curl_slist_free_all(fields)
        fields = nil
        plan = nil
        prepare()
    }

    /// Whether the handle retains a request body.
    var holdsBody: Bool { plan?.body != nil }

    /// Prepares the handle for another request of the same plan.
    func clear() { errorText[0] = 0 }

    private func prepare() {
        clear()
        alcedo_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText.baseAddress)
    }

    /// curl's message for `code`, specific to this transfer if there is one.
    func text(_ code: CURLcode) -> String {
        let text = String(decoding: errorText.prefix { $0 != 0 }, as: UTF8.self)
        return text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    }

    /// The time it took to connect, including TLS, and whether an open connection was reused.
    var connection: (time: Duration, isReused: Bool) {
        var (plain, secure): (curl_off_t, curl_off_t) = (0, 0)
        alcedo_curl_get_size(easy, CURLINFO_CONNECT_TIME_T, &plain)
        alcedo_curl_get_size(easy, CURLINFO_APPCONNECT_TIME_T, &secure)
        return (.microseconds(max(plain, secure)), hasReusedConnection)
    }

    /// Whether the current transfer has a connection that is ready for its request, TLS included. Before curl 7.88, the
    /// handshake of a connection that replaces a lost one may count as done.
    var isConnected: Bool {
        var time: curl_off_t = 0
        alcedo_curl_get_size(easy, CURLINFO_PRETRANSFER_TIME_T, &time)
        let (connecting, isReused) = connection
        // If an open connection was lost, the first time is that of the lost one, which curl has replaced.
        return time > 0 && (isReused || connecting > .zero)
    }

    /// The number of bytes sent for the request, including its body.
    var sentBytes: Int {
        var head = 0
        var body: curl_off_t = 0
        alcedo_curl_get_long(easy, CURLINFO_REQUEST_SIZE, &head)
        alcedo_curl_get_size(easy, CURLINFO_SIZE_UPLOAD_T, &body)
        return head + Int(body)
    }

    /// Whether the last transfer used a connection that had already served another transfer.
    var hasReusedConnection: Bool {
        var made = 0
        alcedo_curl_get_long(easy, CURLINFO_NUM_CONNECTS, &made)
        return made == 0
    }

    /// The cookies that the handle has or shares, in curl's format.
    var cookies: [String] {
        var list: UnsafeMutableRawPointer?
        alcedo_curl_get_pointer(easy, CURLINFO_COOKIELIST, &list)
        let first = list?.assumingMemoryBound(to: curl_slist.self)
        defer { curl_slist_free_all(first) }
        return sequence(first: first) { $0?.pointee.next }.prefix { $0 != nil }.compactMap { item in
            item?.pointee.data.map { String(cString: $0) }
        }
    }

    /// Continues a transfer that paused. May call the transfer's callbacks.
    func resume() { curl_easy_pause(easy, CURLPAUSE_RECV_CONT | CURLPAUSE_SEND_CONT) }

    // MARK: Options

    func set(_ option: CURLoption, _ value: Int) { alcedo_curl_set_long(easy, option, value) }

    /// curl copies the text.
    func set(_ option: CURLoption, _ value: String?) { alcedo_curl_set_text(easy, option, value) }

    /// curl copies the bytes.
    func set(_ option: CURLoption, path: [UInt8]) {
        alcedo_curl_set_text(easy, option, path.map { CChar(bitPattern: $0) } + [0])
    }

    func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) { alcedo_curl_set_pointer(easy, option, value) }

    func set(_ option: CURLoption, _ value: curl_write_callback) { alcedo_curl_set_callback(easy, option, value) }

    /// Copies the bytes.
    func setBody(_ bytes: UnsafeRawBufferPointer) {
        alcedo_curl_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count))
        withUnsafeBytes(of: 0 as UInt8) { none in
            let start = bytes.baseAddress ?? none.baseAddress
            alcedo_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: start))
        }
    }

    /// Adds a line to the request's head in curl's syntax: "Name: value", or "Name:" to omit curl's own field.
    func addField(_ line: String) { fields = curl_slist_append(fields, line) }

    /// Adds a field with a value that may not be UTF-8.
    func addField(_ name: String, _ value: [UInt8]) {
        let line = Array("\(name): ".utf8) + value + [0]
        fields = curl_slist_append(fields, line.map { CChar(bitPattern: $0) })
    }

    func setFields() { alcedo_curl_set_pointer(easy, CURLOPT_HTTPHEADER, fields) }
}
#endif
