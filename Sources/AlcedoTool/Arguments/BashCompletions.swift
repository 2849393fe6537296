/// The completions for bash.
///
/// bash splits words at "=", so "--format=png" arrives as three words.
struct BashCompletions {
    let root: CommandSpec

    var text: String {
        """
        # Completions of alcedo for bash. Use them with: source <(alcedo completions bash)

        _alcedo() {
            local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command= index
            if [[ $word == = ]]; then
                word=
            elif [[ $previous == = ]]; then
                previous=${COMP_WORDS[COMP_CWORD - 2]}
            fi
            for ((index = 1; index < COMP_CWORD; index++)); do
                case "$command ${COMP_WORDS[index]}" in
        \(paths)
                esac
            done
            COMPREPLY=()
            case "$command $previous" in
        \(values)
            esac
            case "$command" in
        \(words)
            esac
        }

        _alcedo_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2"); }

        # Slashes after directories are up to bash.
        _alcedo_files() {
            compopt -o filenames 2> /dev/null
            mapfile -t COMPREPLY < <(compgen "$1" -- "$2")
        }

        complete -F _alcedo alcedo
        """
    }

    /// The words that lead to a command.
    private var paths: String {
        root.tree.flatMap { parent in
            parent.commands.map { #"            "\#(parent.name) \#($0.word)") command="\#($0.name)" ;;"# }
        }.joined(separator: "\n")
    }

    private var values: String {
        root.tree.flatMap { command in
            command.options.compactMap { option -> String? in
                guard let value = option.value else { return nil }
                let pattern = option.names.map { #""\#(command.name) \#($0)""# }.joined(separator: " | ")
                return "        \(pattern)) \(reply(value)) ;;"
            }
        }.joined(separator: "\n")
    }

    private func reply(_ value: OptionSpec.Value) -> String {
        switch value {
        case .text: "return"
        case .file: #"_alcedo_files -f "$word"; return"#
        case .directory: #"_alcedo_files -d "$word"; return"#
        case .choice(let words): #"_alcedo_words "\#(words.joined(separator: " "))" "$word"; return"#
        }
    }

    private var words: String {
        root.tree.map { command in
            let options = command.optionNames.joined(separator: " ")
            let reply: String
            switch command.operands {
            case .files:
                reply =
                    #"if [[ $word == -* ]]; then _alcedo_words "\#(options)" "$word"; "#
                    + #"else _alcedo_files -f "$word"; fi"#
            case .choice(let words):
                reply = #"_alcedo_words "\#(words.joined(separator: " ")) \#(options)" "$word""#
            case .none, .urls:
                let words = (command.commands.map(\.word) + [options]).joined(separator: " ")
                reply = #"_alcedo_words "\#(words)" "$word""#
            }
            return #"        "\#(command.name)") \#(reply) ;;"#
        }.joined(separator: "\n")
    }
}
