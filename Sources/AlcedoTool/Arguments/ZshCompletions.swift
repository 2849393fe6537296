/// The completions for zsh, with a function for each command.
struct ZshCompletions {
    let root: CommandSpec

    var text: String {
        let functions = root.tree.map(function).joined(separator: "\n\n")
        return """
            #compdef alcedo
            # Completions of alcedo for zsh. Save them as _alcedo in a directory of $fpath.

            \(functions)

            if [[ $funcstack[1] == _alcedo ]]; then
                _alcedo "$@"
            else
                compdef _alcedo alcedo
            fi
            """
    }

    private func name(_ command: CommandSpec) -> String {
        (["_alcedo"] + command.name.split(separator: " ").map(String.init)).joined(separator: "_")
    }

    private func function(_ command: CommandSpec) -> String {
        var lines = ["\(name(command))() {"]
        if command.commands.isEmpty {
            lines.append("    _arguments -s \\")
        } else {
            lines.append("    local context state state_descr line")
            lines.append("    typeset -A opt_args")
            lines.append("    _arguments -C \\")
        }
        lines += command.allOptions.map { "        \(form($0)) \\" }
        lines += operands(command)
        return (lines + ["}"]).joined(separator: "\n")
    }

    private func operands(_ command: CommandSpec) -> [String] {
        guard command.commands.isEmpty else { return dispatch(command) }
        return switch command.operands {
        case .none: ["        && return"]
        case .files(let name): ["        \("*:\(name.escaped):_files".shellQuoted)"]
        case .urls(let name): ["        \("*:\(name.escaped):_urls".shellQuoted)"]
        case .choice(let words): ["        \("1:word:(\(words.joined(separator: " ")))".shellQuoted)"]
        }
    }

    private func dispatch(_ command: CommandSpec) -> [String] {
        let described = command.commands.map { "\($0.word):\($0.summary.escaped)".shellQuoted }
        return [
            "        '1: :->command' '*:: :->arguments'", "    case $state in", "        command)",
            "            local -a commands=(\(described.joined(separator: " ")))",
            "            _describe command commands ;;", "        arguments)", "            case $words[1] in",
        ]
            + command.commands.map { "                \($0.word)) \(name($0)) ;;" }
            + ["            esac ;;", "    esac"]
    }

    private func form(_ option: OptionSpec) -> String {
        let rest = "[\(option.help.escaped)]" + (option.value.map(value) ?? "")
        let star = option.repetition == .allCount ? "*" : ""
        guard let short = option.short else {
            return "\(star)\(option.name)\(option.value == nil ? "" : "=")\(rest)".shellQuoted
        }
        let long = "\(option.name)\(option.value == nil ? "" : "=")"
        let exclusion = "(\(short) \(option.name))".shellQuoted
        return "\(exclusion){\(short)\(option.value == nil ? "" : "+"),\(long)}\(rest.shellQuoted)"
    }

    private func value(_ value: OptionSpec.Value) -> String {
        let name = value.placeholder.escaped
        return switch value {
        case .text: ":\(name): "
        case .file: ":\(name):_files"
        case .directory: ":\(name):_files -/"
        case .choice(let words): ":word:(\(words.joined(separator: " ")))"
        }
    }
}

extension String {
    /// The text with colons and brackets escaped, which zsh would interpret.
    fileprivate var escaped: String {
        replacing(#"\"#, with: #"\\"#).replacing(":", with: #"\:"#).replacing("[", with: #"\["#)
            .replacing("]", with: #"\]"#)
    }
}
