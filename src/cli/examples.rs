//! Examples in the help of commands, for a workspace of `faber init`.

pub(super) const ASSEMBLE: &str = "\
Examples:
  faber assemble --request \"Review the login form\" | llm
  git diff | faber assemble --input - --request \"Review this change\" --budget 16k
  cargo test 2>&1 | faber assemble --error - --changed --request \"Fix the failing test\"";

pub(super) const EXPLAIN: &str = "\
Examples:
  faber explain --request \"Review the login form\"
  faber explain specialist/review --request \"Review the login form\"
  faber explain --request \"Review the login form\" --what-if budget=32k";

pub(super) const VALIDATE: &str = "\
Examples:
  faber validate
  faber validate --fix --diff
  faber validate --format github --deny warnings";

pub(super) const SEARCH: &str = "\
Examples:
  faber search how do we roll back a release
  faber search --category playbook --limit 3 KubePodCrashLooping";

pub(super) const QUERY: &str = "\
Examples:
  faber query how long are audit records kept
  faber query --max-tokens 500 --format json \"Who may approve a release?\"";

pub(super) const SERVE: &str = "\
Examples:
  faber serve
  claude mcp add faber -- faber -C \"$PWD\" serve";

pub(super) const TOKENS: &str = "\
Examples:
  faber tokens --tree
  git diff | faber tokens
  faber tokens --compare README.md";

pub(super) const WATCH: &str = "\
Examples:
  faber watch validate
  faber watch assemble --request \"Review the login form\" --output prompt.md";

pub(super) const INIT: &str = "\
Examples:
  faber init
  faber init --template minimal";

pub(super) const NEW: &str = "\
Examples:
  faber new role reviewer
  faber new context rollback --category playbook --role reviewer
  faber new overlay standard/changes --layer teams/payments";

pub(super) const IMPORT: &str = "\
Examples:
  faber import . --dry-run
  faber import claude .claude cursor .cursor/rules
  faber import --update";

pub(super) const EXPORT: &str = "\
Examples:
  faber export claude --dry-run
  faber export agents-md --check";

pub(super) const HOOK_INSTALL: &str = "\
Examples:
  faber hook install claude
  faber hook install codex --scope user --dry-run";

pub(super) const PACK_ADD: &str = "\
Examples:
  faber pack add platform https://git.example.com/platform/packs.git --ref v2
  faber pack add notes ./notes";

pub(super) const TEST: &str = "\
Examples:
  faber test
  faber test --fail-fast planner
  faber test --format junit";

pub(super) const SHOW: &str = "\
Examples:
  faber show standard/answers
  faber show standard/answers --team payments --blame";

pub(super) const DIFF: &str = "\
Examples:
  faber diff standard/changes --team payments
  faber diff assistant";

pub(super) const GRAPH: &str = "\
Examples:
  faber graph --focus standard/changes
  faber graph --format html --output graph.html";

pub(super) const LIST: &str = "\
Examples:
  faber list contexts
  faber list layers --team payments
  faber list triggers --format json";

pub(super) const RULES: &str = "\
Examples:
  faber rules
  faber rules dangling-reference";

pub(super) const CATALOG: &str = "\
Examples:
  faber catalog --max-tokens 500
  faber catalog --request \"Review the login form\"";

pub(super) const EXPAND: &str = "\
Examples:
  faber expand standard/answers
  faber expand standard/answers --include related --max-tokens 800";

pub(super) const REMEMBER: &str = "\
Examples:
  faber remember \"Releases are cut on Tuesdays\"
  faber remember --tags release --scope team --team payments \"Two people sign a release\"";

pub(super) const STATS: &str = "\
Examples:
  faber stats
  faber stats --by context --since 7d";

pub(super) const TUNE: &str = "\
Examples:
  faber tune
  faber tune --since 7d --format patch";

pub(super) const HOOK_REPLAY: &str = "\
Examples:
  faber hook replay chat.jsonl
  faber hook replay --client codex --timings session.jsonl";

pub(super) const PACK_UPDATE: &str = "\
Examples:
  faber pack update --dry-run
  faber pack update platform
  faber pack update --locked";

pub(super) const COMPLETIONS: &str = "\
Installation:
  bash        echo 'source <(faber completions bash)' >>~/.bashrc
  zsh         echo 'source <(faber completions zsh)' >>~/.zshrc    # after compinit
  fish        mkdir -p ~/.config/fish/completions
              faber completions fish >~/.config/fish/completions/faber.fish
  PowerShell  add to $PROFILE: faber completions powershell | Out-String | Invoke-Expression";

pub(super) const MAN: &str = "\
Installation:
  mkdir -p ~/.local/share/man/man1
  faber man >~/.local/share/man/man1/faber.1";

#[cfg(test)]
mod tests {
    use clap::{Command, CommandFactory, Parser};

    use crate::cli::args::Cli;

    fn helps(command: &Command, found: &mut Vec<(String, String)>) {
        for below in command.get_subcommands() {
            let help = below.get_after_long_help().map(ToString::to_string);
            found.extend(help.map(|help| (below.get_name().to_owned(), help)));
            helps(below, found);
        }
    }

    #[test]
    fn every_example_is_a_command_line_of_its_command() {
        let mut found = Vec::new();
        let mut command = Cli::command();
        command.build();
        helps(&command, &mut found);
        assert!(found.len() > 10);
        for (name, help) in found {
            let mut lines = help.lines();
            assert_eq!(lines.next(), Some("Examples:"), "{name}");
            for line in lines {
                let parts = line.split(" | ").flat_map(|part| part.split(" -- ")).map(str::trim);
                let own: Vec<&str> = parts.filter(|part| part.starts_with("faber ")).collect();
                assert!(own.len() == 1 && own[0].contains(&name), "{line}");
                let quoted = own[0].split('"').enumerate();
                let words = quoted.flat_map(|(at, text)| match at % 2 {
                    0 => text.split_whitespace().collect(),
                    _ => vec![text],
                });
                let parsed = Cli::try_parse_from(words);
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
            }
        }
    }
}
