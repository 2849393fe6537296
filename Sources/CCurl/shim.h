#pragma once

// CURLOPT_PROTOCOLS is the one that 7.68 has too.
#define CURL_DISABLE_DEPRECATION
// The options below are arguments, not constants.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// curl's variadic calls, which Swift can't make: one for each type of argument.

static inline CURLcode alcedo_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode alcedo_curl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode alcedo_curl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode alcedo_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode alcedo_curl_set_callback(CURL *easy, CURLoption option, curl_write_callback value) {
    return curl_easy_setopt(easy, option, value);
}

// Lets a transfer end without its look-up of a host's name, which can't be interrupted. Older versions wait for it.
static inline void alcedo_curl_leave_look_ups(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)easy;
#endif
}

// Asks `open` for the socket of each connection, and `send` before each request is sent, which may be over a connection
// that was made without asking. `close` closes the sockets, and may be called after the handle has gone. Returns
// whether `send` is asked: versions before 7.80 can't do that.
static inline int alcedo_curl_watch_connections(
    CURL *easy, curl_opensocket_callback open, int (*send)(void *, char *, char *, int, int), void *transfer,
    curl_closesocket_callback close, void *connections
) {
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, connections);
#if LIBCURL_VERSION_NUM >= 0x075000
    return curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer) == CURLE_OK
        && curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, send) == CURLE_OK;
#else
    (void)send;
    return 0;
#endif
}

// Copies the bytes of an IP address. Returns their number, and 0 for an address of another family.
// The places and lengths are those of sockaddr_in and sockaddr_in6.
static inline int alcedo_curl_address(const struct curl_sockaddr *to, unsigned char bytes[16]) {
    if (to->family == AF_INET && to->addrlen >= 16) {
        __builtin_memcpy(bytes, (const char *)&to->addr + 4, 4);
        return 4;
    }
    if (to->family == AF_INET6 && to->addrlen >= 28) {
        __builtin_memcpy(bytes, (const char *)&to->addr + 8, 16);
        return 16;
    }
    return 0;
}

static inline CURLcode alcedo_curl_get_pointer(CURL *easy, CURLINFO info, void **value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode alcedo_curl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode alcedo_curl_get_size(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLMcode alcedo_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

static inline CURLSHcode alcedo_curl_share_cookies(CURLSH *share) {
    return curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_COOKIE);
}
