"""The measurements of bench.sh. Prints tables, and writes them to the file in PAGE, if that is set. For `kill`, writes a
chart into the folder in CHART, if that is set."""

import base64, datetime, hashlib, hmac, http.client, itertools, os, pathlib, platform, random, re, signal, socket
import subprocess, sys, tempfile, threading, time, urllib.parse

KEY = "0123456789abcdef0123456789abcdef"
SECONDS = int(os.environ.get("SECONDS_PER_PART", 20))
ROUNDS = int(os.environ.get("ROUNDS", 1))
KILL_SECONDS = int(os.environ.get("KILL_SECONDS", 300))
binaries, photos = pathlib.Path(sys.argv[1]), sorted(pathlib.Path(sys.argv[2]).glob("*.jp*g"))
parts = sys.argv[3:] or ["cold", "full-size", "warm", "kill"]
work = pathlib.Path(tempfile.mkdtemp(prefix="image-server-bench-"))
ticks = os.sysconf("SC_CLK_TCK")
count = 200


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def base64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def path(options, source):
    text = f"{options}/{base64url(source.encode())}"
    return f"/{base64url(hmac.new(KEY.encode(), text.encode(), hashlib.sha256).digest())}/{text}"


def until_open(port):
    for _ in range(1000):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.02)
    raise SystemExit(f"nothing listens on port {port}")


class Origin:
    def __init__(self):
        self.port = free_port()
        root = work / "files"
        root.mkdir()
        for number in range(count):
            os.symlink(photos[number % len(photos)].resolve(), root / f"{number}.jpg")
        (work / "nginx.conf").write_text(
            "daemon off; pid nginx.pid; worker_processes 1; events {}\n"
            f"http {{ access_log off; client_body_temp_path t; proxy_temp_path t; fastcgi_temp_path t;\n"
            f"uwsgi_temp_path t; scgi_temp_path t; sendfile on; server {{ listen 127.0.0.1:{self.port};\n"
            f'root {root}; add_header Cache-Control "max-age=86400"; }} }}\n')
        user = ["-g", "user root;"] if os.getuid() == 0 else []
        self.process = subprocess.Popen(["nginx", "-p", str(work), "-c", "nginx.conf", "-e", "stderr", *user])
        until_open(self.port)

    def url(self, number, version=0):
        return f"http://127.0.0.1:{self.port}/{number % count}.jpg?v={version}"


class Process:
    """A running program and what it uses, with the processes that it has started."""

    def cpu(self):
        ticks_used = 0
        for pid in self.tree():
            fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
            ticks_used += int(fields[11]) + int(fields[12])
        return ticks_used / ticks

    def status(self, name):
        """A line of the status, in MiB."""
        texts = [pathlib.Path(f"/proc/{pid}/status").read_text() for pid in self.tree()]
        return sum(int(re.search(rf"{name}:\s+(\d+)", text).group(1)) for text in texts) / 1024

    def tree(self):
        pids = [self.process.pid]
        for pid in pids:
            pids += map(int, pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
        return pids

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


class Server(Process):
    """An image server with a cache folder of its own, or one that is given."""

    name = "Alcedo"

    @staticmethod
    def path(source):
        return path("w:800,f:jpeg,q:80", source)

    def __init__(self, cache=None, port=None, program="image-server"):
        self.port = port or free_port()
        self.cache = cache or tempfile.mkdtemp(dir=work)
        environment = dict(
            os.environ, PORT=str(self.port), SIGNING_KEY=KEY, CACHE_DIRECTORY=self.cache, LOG_LEVEL="error",
            ALLOWED_ORIGINS=f"http://127.0.0.1:{origin.port}")
        self.process = subprocess.Popen([binaries / program], env=environment, stderr=subprocess.DEVNULL)
        until_open(self.port)

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))


class Thumbor(Process):
    """thumbor with its defaults, which keep sources in files and results nowhere."""

    name = "thumbor"

    def __init__(self):
        self.port = free_port()
        configuration = work / f"thumbor-{self.port}.conf"
        configuration.write_text(f"QUALITY = 80\nSTORAGE = 'thumbor.storages.file_storage'\n"
                                 f"FILE_STORAGE_ROOT_PATH = '{tempfile.mkdtemp(dir=work)}'\n")
        self.process = subprocess.Popen(
            [os.environ["THUMBOR"], "-p", str(self.port), "-c", configuration, "-l", "critical"],
            stderr=subprocess.DEVNULL)
        until_open(self.port)

    @staticmethod
    def path(source):
        return "/unsafe/800x0/filters:format(jpeg)/" + urllib.parse.quote(source, safe="")


class Pyvips(Process):
    """A plain service with pyvips and aiohttp, which keeps nothing."""

    name = "pyvips"

    def __init__(self):
        self.port = free_port()
        program = pathlib.Path(__file__).parent / "pyvips_server.py"
        self.process = subprocess.Popen([os.environ["PYVIPS_PYTHON"], program, str(self.port)])
        until_open(self.port)

    @staticmethod
    def path(source):
        return "/?source=" + urllib.parse.quote(source, safe="")


def wrk(port, paths, connections, seconds=SECONDS):
    """Requests per second, the median and 99 % of latencies in ms, the number of requests, and of other statuses."""
    name = work / "paths.txt"
    name.write_text("\n".join(paths))
    script = work / "wrk.lua"
    script.write_text(f"""
        local paths, index, thread = {{}}, 0, 0
        function setup(t) t:set("id", thread); thread = thread + 1 end
        function init() for line in io.lines("{name}") do paths[#paths + 1] = line end; index = id end
        function request() index = index + 2; return wrk.format("GET", paths[(index - 2) % #paths + 1]) end
        function done(s, l) io.write(string.format("RESULT %d %d %d %d %d\\n", s.requests, s.duration,
            l:percentile(50), l:percentile(99), s.errors.status)) end""")
    text = subprocess.run(
        ["wrk", "-t2", f"-c{connections}", f"-d{seconds}", "--timeout", "60", "-s", script, f"http://127.0.0.1:{port}"],
        capture_output=True, text=True, check=True).stdout
    requests, duration, median, most, errors = map(int, re.search(r"RESULT (.*)", text).group(1).split())
    return requests / duration * 1e6, median / 1000, most / 1000, requests, errors


lines = []


def tell(line):
    print(line, flush=True)
    lines.append(line)


def row(*cells):
    tell("| " + " | ".join(str(cell) for cell in cells) + " |")


PAGE = """# The image server under load

`Examples/ImageServer` makes JPEGs of 800 pixels, quality 80, from {photos} photos that a local nginx serves under {count} URLs,
while `wrk` sends requests over two threads. *Cold* requests name sources that are new to the server, so each is
downloaded, decoded, scaled, encoded and stored. thumbor and a plain service with pyvips do the same, in turn, and store
nothing. *Warm* requests find their file on disk; the same routes are also measured with the files in memory, and a file
of the same size from nginx. Latencies include the wait for the two cores that all programs share. Compare the CPU time
per request: the rates also depend on the origin and on `wrk`.

{machine}, {day}, {rounds} rounds of {seconds} seconds:

    bench.sh FOLDER-OF-JPEGS {parts}

{tables}
"""


def write_page(file):
    processor = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text()).group(1)
    pathlib.Path(file).write_text(PAGE.format(
        count=count, photos=len(photos), machine=f"{processor}, {os.cpu_count()} cores, Linux {platform.release()}",
        day=datetime.date.today(), rounds=ROUNDS, seconds=max(2, SECONDS // ROUNDS), parts=" ".join(parts),
        tables="\n".join(lines).strip()))


def cold():
    row("cold, 800 px JPEG q80", "requests/s", "p50 ms", "p99 ms", "CPU ms per request", "peak MiB", "other statuses")
    row(*["---"] * 7)
    kinds = [Server] + [kind for kind, name in ((Thumbor, "THUMBOR"), (Pyvips, "PYVIPS_PYTHON")) if os.environ.get(name)]
    version = itertools.count(1)
    for connections in (16, 64):
        servers = [kind() for kind in kinds]
        results = [[] for _ in servers]
        # In turn, so that what else runs on the machine affects all alike.
        for _ in range(ROUNDS):
            for server, result in zip(servers, results):
                seconds = max(2, SECONDS // ROUNDS)
                paths = [server.path(origin.url(n, next(version))) for n in range(seconds * 2000)]
                before = server.cpu()
                measured = wrk(server.port, paths, connections, seconds)
                time.sleep(2)
                result.append((*measured, (server.cpu() - before) / max(1, measured[3]) * 1000))
        for server, result in zip(servers, results):
            rate, median, most, _, _, cpu = (sorted(values)[ROUNDS // 2] for values in zip(*result))
            row(f"{server.name}, {connections} connections", f"{rate:.1f}", f"{median:.0f}", f"{most:.0f}",
                f"{cpu:.1f}", f"{server.status('VmHWM'):.0f}", sum(one[4] for one in result))
            server.stop()


def full_size():
    server = Server()
    slowest, ends = [0.0], threading.Event()

    def poll():
        while not ends.wait(0.05):
            start = time.monotonic()
            connection = http.client.HTTPConnection("127.0.0.1", server.port)
            connection.request("GET", "/health")
            connection.getresponse().read()
            connection.close()
            slowest[0] = max(slowest[0], time.monotonic() - start)

    poller = threading.Thread(target=poll)
    poller.start()
    paths = [path("f:webp", origin.url(n, f"full{n}")) for n in range(SECONDS * 20)]
    rate, _, _, requests, errors = wrk(server.port, paths, 64)
    ends.set()
    poller.join()
    row("full-size WebP", "requests/s", "peak MiB", "/health, slowest ms", "other statuses")
    row(*["---"] * 5)
    row("64 connections", f"{rate:.1f}", f"{server.status('VmHWM'):.0f}", f"{slowest[0] * 1000:.0f}", errors)
    server.process.kill()
    server.process.wait()


def fetch(port, target):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("GET", target)
        response = connection.getresponse()
        return response.status, response.read()
    finally:
        connection.close()


def warm():
    server, memory = Server(), Server(program="memory-server")
    paths = [path("w:800,f:jpeg,q:80", origin.url(n)) for n in range(count)]
    for target in paths:
        body = fetch(server.port, target)[1]
        fetch(memory.port, target)
    (work / "files" / "made.jpg").write_bytes(body)
    row("warm", "encoded on disk, requests/s", "memory, requests/s", "ratio", "nginx, requests/s", "CPU ms per request")
    row(*["---"] * 6)
    for connections in (16, 64):
        rates = [[], [], []]
        cpu, requests = server.cpu(), 0
        for _ in range(5):
            seconds = max(1, SECONDS // 5)
            result = wrk(server.port, paths, connections, seconds)
            requests += result[3]
            rates[0].append(result[0])
            rates[1].append(wrk(memory.port, paths, connections, seconds)[0])
            rates[2].append(wrk(origin.port, ["/made.jpg"], connections, seconds)[0])
        medians = [sorted(rate)[2] for rate in rates]
        row(f"{connections} connections", f"{medians[0]:.0f}", f"{medians[1]:.0f}", f"{medians[0] / medians[1]:.2f}",
            f"{medians[2]:.0f}", f"{(server.cpu() - cpu) / requests * 1000:.2f}")
    memory.stop()
    server.stop()


def kill():
    server = Server()
    paths = [path(f"w:{200 + n},f:jpeg,q:80", origin.url(n)) for n in range(count)]
    expected = {target: fetch(server.port, target)[1] for target in paths}
    server.stop()
    cache, port = tempfile.mkdtemp(dir=work), server.port
    server, ends = Server(cache, port), threading.Event()
    counts, samples, kills = {"right": 0, "wrong": 0, "none": 0}, [], 0
    lock = threading.Lock()

    def check():
        while not ends.is_set():
            target = random.choice(paths)
            try:
                status, body = fetch(port, target)
                answer = "none" if status != 200 else "right" if body == expected[target] else "wrong"
            except (OSError, http.client.HTTPException):
                answer = "none"
                time.sleep(0.01)
            with lock:
                counts[answer] += 1

    load = threading.Thread(target=lambda: wrk(port, paths, 64, KILL_SECONDS))
    checkers = [threading.Thread(target=check) for _ in range(4)]
    for thread in [load, *checkers]:
        thread.start()
    start = time.monotonic()
    died, entries = start, []
    while load.is_alive():
        time.sleep(1)
        samples.append((time.monotonic() - start, server.status("VmRSS"), server.descriptors(), kills))
        # The last minute runs without a kill.
        if time.monotonic() - died > 12 and time.monotonic() - start < KILL_SECONDS - 60:
            server.process.kill()
            server.process.wait()
            kills += 1
            entries = list(pathlib.Path(cache).rglob("*"))
            server, died = Server(cache, port), time.monotonic()
    ends.set()
    for checker in checkers:
        checker.join()
    metrics = fetch(port, "/metrics")[1].decode()
    damaged = re.search(r"alcedo_disk_damaged_entries_total (\d+)", metrics).group(1)
    server.stop()
    row("kill -9 under load", "kills", "right images", "wrong", "no answer", "damaged entries", "entries on disk")
    row(*["---"] * 7)
    row(f"{KILL_SECONDS} s, 64 connections", kills, counts["right"], counts["wrong"], counts["none"], damaged, len(entries))
    if counts["wrong"] or damaged != "0":
        raise SystemExit("a wrong image, or a damaged entry")
    if chart := os.environ.get("CHART"):
        draw(pathlib.Path(chart), samples)


def draw(folder, samples):
    """Memory and descriptors over time, as an SVG."""
    width, height, left = 860, 130, 60
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width + left + 20} 400" font-family="sans-serif" '
             'font-size="13">', '<rect width="100%" height="100%" fill="#fff"/>']
    end = samples[-1][0]
    for index, (name, column) in enumerate([("Memory of the server in MiB", 1), ("Open descriptors", 2)]):
        top, most = 40 + index * 185, max(sample[column] for sample in samples) * 1.1
        lines.append(f'<text x="{left}" y="{top - 10}" fill="#222">{name}</text>')
        for share in (0, 0.5, 1):
            y = top + height * (1 - share)
            lines.append(f'<line x1="{left}" x2="{left + width}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>')
            lines.append(f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end" fill="#555">{most * share:.0f}</text>')
        for before, after in zip(samples, samples[1:]):
            if after[3] != before[3]:
                x = left + width * after[0] / end
                lines.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{top + height}" stroke="#d33" '
                             'stroke-dasharray="3 3" opacity="0.5"/>')
        points = " ".join(f"{left + width * s[0] / end:.1f},{top + height * (1 - s[column] / most):.1f}" for s in samples)
        lines.append(f'<polyline points="{points}" fill="none" stroke="#1565c0" stroke-width="1.5"/>')
    lines.append(f'<text x="{left}" y="385" fill="#555">0 to {end:.0f} s; dashed: killed with SIGKILL and started '
                 'again</text></svg>')
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "image-server-kills.svg").write_text("\n".join(lines) + "\n")


if not photos:
    raise SystemExit(f"{sys.argv[2]} has no JPEGs")
origin = Origin()
try:
    for part in parts:
        {"cold": cold, "full-size": full_size, "warm": warm, "kill": kill}[part]()
        tell("")
    if os.environ.get("PAGE"):
        write_page(os.environ["PAGE"])
finally:
    origin.process.terminate()
