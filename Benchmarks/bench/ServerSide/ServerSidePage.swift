import AlcedoTestSupport

/// The experiment as Markdown tables for people.
struct ServerSidePage {
    let result: ServerSideResult

    var text: String {
        let lines = introduction + tiers + originLines + shares + loss + checks + configuration
        return lines.joined(separator: "\n") + "\n"
    }

    private var introduction: [String] {
        let main = result.main
        return [
            """
            # Loaders behind a caching proxy

            Written by `make server-side`: an origin, the real nginx with `proxy_cache` before it, and four processes
            with a loader each on two cache directories, as two processes on each of two machines (1a, 1b, 2a, 2b).
            They load \(grouped(main.requests)) images, \(ServerSideSetting.picturesPerPage) at a time, of \
            \(grouped(ServerSideSetting.pictures)) whose popularity falls with the \
            \(NumberFormat.fixed(ServerSideSetting.exponent, 1))th power of their
            rank. The origin sends `max-age=\(ServerSideSetting.lifetime)`, and the loads take \(seconds(main)) \
            seconds, three lifetimes. A process has at
            most \(ServerSideSetting.imagesInMemory) images in memory. Process 1a is killed in the middle, when it \
            is about to store an image.

            ![Bars of the same numbers](server-side.svg)

            """
        ]
    }

    private var tiers: [String] {
        let (main, all) = (result.main, result.main.requests)
        let outcomes = CachingProxy.Answer.Outcome.allCases.compactMap { outcome -> String? in
            let count = main.proxyAnswers.count { $0.outcome == outcome }
            return count == 0 ? nil : "\(grouped(count)) \(outcome.rawValue)"
        }
        return ["## Hit ratio per tier", "", row(["Tier", "Requests", "Answered", "Hit ratio", "Of all"]), rule(5)]
            + main.tiers.map { tier in
                row([
                    tier.name, grouped(tier.requests), grouped(tier.answered),
                    percent(tier.answered, of: tier.requests), percent(tier.answered, of: all),
                ])
            } + [
                """

                A request for an image that its process is loading already waits for that load. The proxy answers
                from its cache with the image or, if the loader has the image, with 304. In nginx's words its
                answers are \(outcomes.joined(separator: ", ")).

                """
            ]
    }

    private var originLines: [String] {
        let (main, later) = (result.main, result.later)
        func line(_ name: String, _ count: (ServerSidePart) -> Int) -> String {
            row([name, grouped(count(main)), grouped(count(later))])
        }
        let most = main.pictures.count * 3
        return [
            "## Requests at the origin", "", row(["", "Until the loss of a machine", "After it"]), rule(3),
            row(["Seconds", seconds(main), seconds(later)]),
            line("Requests to the loaders") { $0.requests },
            line("Different images") { $0.pictures.count },
            row([
                "Those requested for the first time", grouped(main.pictures.count),
                grouped(later.pictures.subtracting(main.pictures).count),
            ]),
            line("Requests to the proxy") { $0.proxyAnswers.count },
            line("Requests to the origin") { $0.originRequests.count },
            line("Those answered with the image, not with 304") { $0.sentByOrigin }, "",
            """
            One request per image and lifetime would be at most \(grouped(most)) until the loss. Images
            without further requests aren't revalidated. Requests for an image less than a lifetime after the previous
            one: \(result.needlessRequests).

            """,
        ]
    }

    private var shares: [String] {
        let main = result.main
        let lines = [1, 2].map { machine in
            let share = main.share(ofMachine: machine, name: "")
            return "Machine \(machine) fetched \(grouped(share.fetchedPictures)) images, "
                + "with \(grouped(share.count(.fetched))) requests."
        }
        return ["## The processes", ""] + table(of: main.shares) + [
            """

            Confirmed: from memory or disk, after a 304. Fetched: downloaded from the proxy. Shared: waited for a load
            of the same process.
            \(lines.joined(separator: "\n"))

            When 1a was killed, it had not delivered \(result.unanswered) of the \(ServerSideSetting.picturesPerPage) \
            images that it was loading. Its successor on the
            same directory loaded them and the rest.

            """
        ]
    }

    private var loss: [String] {
        let machines = [
            result.later.share(ofMachine: 1, name: "1, as before"), result.later.share(ofMachine: 3, name: "3, new"),
        ]
        return [
            """
            ## The loss of a machine

            Then machine 2 was lost: its processes were killed, and its directory was out of reach. Machine 3 took its
            place, with an empty directory and two processes. Together the two machines loaded \
            \(grouped(result.later.requests)) more
            images.

            """
        ] + table(of: machines, head: "Machine") + [""]
    }

    private var checks: [String] {
        let verdicts = [PictureAnswer.Verdict.wrong, .stale, .failed].map { "\(result.count($0)) \($0.rawValue)" }
        let troubles = result.troubles + result.checks.flatMap(\.troubles)
        let lines = [
            """
            ## Integrity

            Every image was compared with its original: \(grouped(result.count(.right))) right, \
            \(verdicts.joined(separator: ", ")). Then the
            directories were verified, the bytes of their entries compared, and all images loaded with each of them
            once more.

            """,
            row(["Directory of machine", "Whole entries", "Damaged", "With wrong bytes", "Wrong images"]), rule(5),
        ]
        let rows = result.checks.map { check in
            row([
                check.name, grouped(check.wholeEntries), "\(check.damagedEntries)", "\(check.wrongEntries)",
                "\(check.wrongImages)",
            ])
        }
        let reports =
            troubles.isEmpty ? ["No failure was reported."] : ["Reported:", ""] + troubles.map { "- \($0)" }
        return lines + rows + [""] + reports + [""]
    }

    /// The configuration used in the experiment, but with other ports.
    private var configuration: [String] {
        [
            "## The proxy's configuration", "", "```nginx", CachingProxy.configuration(port: 8080, origin: 8081), "```",
        ]
    }

    // MARK: Formatting

    private func table(of shares: [Share], head: String = "Process") -> [String] {
        let heads = [head, "Requests", "Memory", "Disk", "Confirmed", "Fetched", "Shared"]
        return [row(heads), rule(heads.count)]
            + shares.map { share in
                let counts = Share.Origin.allCases.map { origin in
                    "\(grouped(share.count(origin))) (\(percent(share.count(origin), of: share.answers.count)))"
                }
                return row([share.name, grouped(share.answers.count)] + counts)
            }
    }

    private func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

    private func rule(_ columns: Int) -> String { row(["---"] + (1..<columns).map { _ in "---:" }) }

    private func seconds(_ part: ServerSidePart) -> String { NumberFormat.fixed(part.duration / .seconds(1), 0) }

    private func percent(_ count: Int, of all: Int) -> String {
        all == 0 ? "" : NumberFormat.fixed(100 * Double(count) / Double(all), 1) + " %"
    }

    /// A number with commas between thousands.
    private func grouped(_ number: Int) -> String {
        number < 1_000 ? "\(number)" : "\(grouped(number / 1_000)),\(String("\(1_000 + number % 1_000)".dropFirst()))"
    }
}
