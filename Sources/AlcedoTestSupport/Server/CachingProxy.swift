package import Foundation

/// An nginx on 127.0.0.1 that caches what an origin serves.
///
/// It writes only to its own directory, and ends with ``stop()`` or when the value is deallocated.
package final class CachingProxy: Sendable {
    /// The proxy's answer to a request.
    package struct Answer: Sendable, Hashable {
        /// The cache's part in the answer, as nginx names it.
        package enum Outcome: String, Sendable, Hashable, CaseIterable {
            /// Fresh, from the cache.
            case hit = "HIT"
            /// Stale, from the cache, which began to revalidate it.
            case stale = "STALE"
            /// Stale, from the cache, while another request revalidated it.
            case updating = "UPDATING"
            /// Fetched from the origin.
            case miss = "MISS"
            /// Fetched from the origin, because the cached response was stale.
            case expired = "EXPIRED"
            /// From the cache, after the origin had confirmed it.
            case revalidated = "REVALIDATED"

            /// Whether the client didn't have to wait for the origin.
            package var isFromCache: Bool { self == .hit || self == .stale || self == .updating }
        }

        package let path: String
        package let status: Int
        /// Nil if the request failed before the cache was asked.
        package let outcome: Outcome?
    }

    /// The port for http.
    package let port: Int

    private let directory: TemporaryDirectory
    private let process: ServerProcess

    /// Starts the proxy with an empty cache, and waits until it accepts connections.
    ///
    /// - Parameter origin: The port of 127.0.0.1 to which it forwards requests.
    package init(origin: Int) throws {
        let directory = try TemporaryDirectory()
        let started = try NginxProcess(in: directory, portCount: 1) { ports in
            """
            log_format answers '$upstream_cache_status $status $uri';
            access_log answers.log answers;
            \(Self.configuration(port: ports[0], origin: origin))
            """
        }
        port = started.ports[0]
        process = started.process
        self.directory = directory
    }

    deinit { stop() }

    /// The URL of `path`, which begins with a slash.
    package func url(_ path: String) -> URL { URL.loopback("http", port: port, path) }

    /// The answers so far, in the order in which they were completed.
    ///
    /// An answer is logged after its last byte was sent, so the client may have it a little earlier.
    package func answers() throws -> [Answer] {
        try String(contentsOfFile: directory.file("answers.log"), encoding: .utf8)
            .split(separator: "\n").compactMap(Answer.init)
    }

    /// Stops the proxy and waits until it has exited.
    package func stop() { process.stop() }

    /// The part of its configuration that concerns the cache, for `port` and the origin's port.
    package static func configuration(port: Int, origin: Int) -> String {
        """
        proxy_cache_path cache levels=1:2 keys_zone=pictures:10m max_size=1g inactive=1h use_temp_path=off;
        upstream origin {
            server 127.0.0.1:\(origin);
            keepalive 16;
        }
        server {
            listen 127.0.0.1:\(port);
            location / {
                proxy_pass http://origin;
                proxy_http_version 1.1;
                proxy_set_header Connection "";
                proxy_cache pictures;
                proxy_cache_lock on;
                proxy_cache_revalidate on;
                proxy_cache_background_update on;
                proxy_cache_use_stale updating error timeout http_500 http_502 http_503 http_504;
            }
        }
        """
    }
}

extension CachingProxy.Answer {
    /// Nil for a line that isn't complete yet.
    fileprivate init?(_ line: Substring) {
        let fields = line.split(separator: " ", maxSplits: 2)
        guard fields.count == 3, let status = Int(fields[1]) else { return nil }
        self.init(path: String(fields[2]), status: status, outcome: Outcome(rawValue: String(fields[0])))
    }
}
