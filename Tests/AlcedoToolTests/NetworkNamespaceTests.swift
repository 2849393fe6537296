#if os(Linux)
import Foundation
import Testing

@testable import AlcedoTestSupport
@testable import AlcedoTool

/// Networks that a test may change.
private enum Namespace {
    /// All its programs end with it. Other users than root need a namespace of users, too.
    static let command = ["unshare", geteuid() == 0 ? "-n" : "-rn", "-pf", "--kill-child"]

    static let isPermitted: Bool = {
        guard let unshare = ServerProcess.find("unshare"), NginxServer.isInstalled else { return false }
        do {
            let directory = try TemporaryDirectory()
            try ServerProcess.run(
                [unshare] + command.dropFirst() + ["ip", "link", "add", "net0", "type", "veth"],
                log: directory.file("log"), in: directory.path)
            return true
        } catch {
            return false
        }
    }()
}

/// The command in a network of its own, which comes up while it waits.
@Suite(
    .timeLimit(.minutes(1)),
    .enabled(if: Namespace.isPermitted, "there is no nginx, or the system permits no namespace of networks"))
struct NetworkNamespaceTests {
    private let temporary: TemporaryDirectory
    private let png: Data

    init() throws {
        temporary = try TemporaryDirectory()
        png = try Pictures.png()
        let files = temporary.url.appending(path: "files")
        try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
        try png.write(to: files.appending(path: "a.png"))
        try Data(Self.configuration.utf8).write(to: temporary.url.appending(path: "nginx.conf"))
        try Data(Self.script.utf8).write(to: temporary.url.appending(path: "script"))
    }

    /// It is a daemon, so that its start ends when it listens.
    private static let configuration = """
        master_process off;
        pid nginx.pid;
        error_log stderr warn;
        events {}
        http {
            access_log off;
            client_body_temp_path body;
            proxy_temp_path proxy;
            fastcgi_temp_path fastcgi;
            uwsgi_temp_path uwsgi;
            scgi_temp_path scgi;
            server { listen 8080; root files; }
        }
        """

    /// Its arguments are nginx and the command.
    private static let script = """
        set -eu
        export no_proxy='*'
        fail() { echo "$1"; exit 1; }
        load() { "$command" load "$@" --retries 0 --revalidate; }
        nginx="$1" command="$2" url=http://10.207.0.1:8080/a.png
        ip link set lo up
        "$nginx" -p "$PWD" -c nginx.conf -e stderr

        # Neither without the option nor for this machine.
        ! load "$url" || fail "there is a network"
        ! load http://127.0.0.1:1/a.png --wait-for-network 3600 || fail "something answers"

        load "$url" --wait-for-network 3600 -o loaded & waiting=$!
        # Until the kernel is asked for notifications.
        tries=0
        until grep -q ' 00000551 ' /proc/net/netlink; do
            tries=$((tries + 1))
            [ $tries -lt 1000 ] || fail "nothing waits"
            sleep 0.02
        done
        ip link add net0 type veth peer name net1
        ip link set net1 up
        ip link set net0 up
        [ ! -e loaded/a.png ] || fail "it is loaded already"
        ip addr add 10.207.0.1/24 dev net0
        wait "$waiting"
        """

    @Test func load_ends_whenTheNetworkIsUp() async throws {
        let nginx = try #require(ServerProcess.find("nginx"))
        let start = Namespace.command.joined(separator: " ")
        let process = try ToolProcess(
            [], screen: TestScreen.pipe, isTerminal: false, in: temporary,
            script: #"exec \#(start) /bin/sh script '\#(nginx)' "$0""#)
        #expect(try await process.untilExit() == 0, "\(process.screen.lines)")
        #expect(try Data(contentsOf: temporary.url.appending(path: "loaded/a.png")) == png)
    }
}
#endif
