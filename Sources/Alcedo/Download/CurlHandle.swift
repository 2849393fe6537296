#if os(Linux) && Curl
import CCurl

/// An easy handle with what it needs to stay where it is: the list of fields and the text of an error.
///
/// Used on the loader's thread only. Handles are used again where they may be, as to make one takes its time.
final class CurlHandle {
    /// From 7.83 on, until it was mended after 8.1, libcurl keeps a pointer to the last field of a handle's last
    /// response, and writes there when the next response begins with the continuation of a line (curl's issue 11101).
    static let isReusable = !(0x07_5300..<0x08_0200).contains(curl_version_info(CURLVERSION_FIRST).pointee.version_num)

    let easy: UnsafeMutableRawPointer
    private let errorText: UnsafeMutableRawBufferPointer
    private var fields: UnsafeMutablePointer<curl_slist>?
    private var decodes = true
    /// What the handle is set up for.
    var plan: CurlOptions.Plan?

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

    /// Makes it as good as new; it keeps none of the last request.
    func reset() {
        curl_easy_reset(easy)
        curl_slist_free_all(fields)
        fields = nil
        plan = nil
        prepare()
    }

    /// Whether it keeps the body of a request.
    var holdsBody: Bool { plan?.body != nil }

    /// Ready for another request of the same plan.
    func clear() {
        errorText[0] = 0
        if !decodes { set(CURLOPT_HTTP_CONTENT_DECODING, 1) }
        decodes = true
    }

    /// Delivers the body of the present response as it comes. libcurl refuses codings that it doesn't know otherwise.
    ///
    /// It only sets a flag, so it may be called inside curl's callbacks. libcurl looks at the flag for each piece of a
    /// body; some versions after 8.4 look when the field comes, and refuse the body still.
    func stopDecoding() {
        set(CURLOPT_HTTP_CONTENT_DECODING, 0)
        decodes = false
    }

    private func prepare() {
        clear()
        alcedo_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText.baseAddress)
    }

    /// curl's words for `code`, those about this transfer where it has some.
    func text(_ code: CURLcode) -> String {
        let text = String(decoding: errorText.prefix { $0 != 0 }, as: UTF8.self)
        return text.isEmpty ? String(cString: curl_easy_strerror(code)) : text
    }

    /// Bytes of the request that were sent, its body included.
    var sentBytes: Int {
        var head = 0
        var body: curl_off_t = 0
        alcedo_curl_get_long(easy, CURLINFO_REQUEST_SIZE, &head)
        alcedo_curl_get_size(easy, CURLINFO_SIZE_UPLOAD_T, &body)
        return head + Int(body)
    }

    /// Whether the last transfer went over a connection that had served another one before.
    var hasReusedConnection: Bool {
        var made = 0
        alcedo_curl_get_long(easy, CURLINFO_NUM_CONNECTS, &made)
        return made == 0
    }

    // MARK: Options

    func set(_ option: CURLoption, _ value: Int) { alcedo_curl_set_long(easy, option, value) }

    /// curl copies the text.
    func set(_ option: CURLoption, _ value: String?) {
        if let value {
            _ = value.withCString { alcedo_curl_set_text(easy, option, $0) }
        } else {
            alcedo_curl_set_text(easy, option, nil)
        }
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

    /// Adds a line of the request's head as curl writes it: "Name: value", or "Name:" to leave curl's own out.
    func addField(_ line: String) {
        fields = curl_slist_append(fields, line)
    }

    func setFields() { alcedo_curl_set_pointer(easy, CURLOPT_HTTPHEADER, fields) }
}
#endif
