//! Completion scripts and the manual page. clap's dynamic engine is unstable, needs scripts of the
//! same build, and slows every start.

use std::fmt::Write;

use clap::builder::Resettable;
use clap::{Command, CommandFactory};
use clap_complete::shells::{Bash, Fish, PowerShell, Zsh};
use clap_complete::{Generator, generate};
use clap_mangen::Man;

use crate::cli::args::{CONTEXT, Cli, NAMED, ROLE, Shell};

const BASH: &str = r#"
_faber_names() {
    local name
    COMPREPLY=()
    while IFS= read -r name; do
        COMPREPLY+=("$name")
    done < <(faber __complete -- "${COMP_WORDS[@]:0:COMP_CWORD+1}" 2>/dev/null)
    [[ ${#COMPREPLY[@]} -gt 0 ]]
}

_faber_or_names() {
    if [[ $2 != -* ]] && _faber_names; then
        return 0
    fi
    _faber "$@"
}

"#;

const ZSH: &str = r#"
_faber_names() {
    local -a names
    names=("${(@f)$(faber __complete -- "${faber_words[@]}" 2>/dev/null)}")
    compadd -a names
}

"#;

const FISH: &str = r#"
function __faber_names
    set -l word (commandline -ct)
    faber __complete -- (commandline -opc) "$word" 2>/dev/null
end
"#;

/// Old versions of PowerShell pass no empty arguments.
const POWERSHELL: &str = r"
    $faberWords = @($commandAst.CommandElements | ForEach-Object { $_.Extent.Text })
    $faberNext = @(if ($wordToComplete -eq '') { '--next' })
    $faberNames = @(& faber __complete @faberNext -- @faberWords 2>$null)
    if ($faberNames.Count -gt 0) {
        return $faberNames | ForEach-Object {
            [CompletionResult]::new($_, $_, [CompletionResultType]::ParameterValue, $_)
        }
    }
";

fn command() -> Command {
    let whole = Cli::command();
    let shown = whole.get_subcommands().filter(|command| !command.is_hide_set()).cloned();
    Command::new("faber")
        .version(env!("CARGO_PKG_VERSION"))
        .disable_help_subcommand(true)
        .subcommand_required(whole.is_subcommand_required_set())
        .args(whole.get_arguments().cloned())
        .subcommands(shown)
        .about(Resettable::from(whole.get_about().cloned()))
        .after_help(Resettable::from(whole.get_after_help().cloned()))
}

pub(crate) fn completions(shell: Shell) -> String {
    match shell {
        Shell::Bash => {
            let script = generated(Bash);
            let at = script.find("\nif [[ \"${BASH_VERSINFO[0]}\" -eq 4").unwrap_or(script.len());
            let (functions, register) = script.split_at(at);
            let register = register.trim_start().replace("-F _faber ", "-F _faber_or_names ");
            format!("{functions}{BASH}{register}")
        }
        Shell::Zsh => {
            let keep = "\n_faber() {\n    local -a faber_words=(\"${(@Q)words[1,CURRENT]}\")\n";
            let script = generated(Zsh).replacen("\n_faber() {\n", keep, 1);
            let hints =
                [":_users'", ":_hosts'", ":_urls'", ":_email_addresses'", ":_command_names -e'"];
            let script = hints
                .into_iter()
                .fold(script, |script, hint| script.replace(hint, ":_faber_names'"));
            let at = script.rfind("\nif [ \"$funcstack[1]\"").unwrap_or(script.len());
            let (functions, register) = script.split_at(at);
            format!("{functions}{ZSH}{}", register.trim_start())
        }
        Shell::Fish => {
            let script = generated(Fish);
            let script = script.replace("(__fish_complete_users)", "(__faber_names)");
            let script = script.replace("(__fish_print_hostnames)", "(__faber_names)");
            let script = script.replace("(__fish_complete_command)", "(__faber_names)");
            let script = script.replace(" -r -f\n", " -r -f -a \"(__faber_names)\"\n");
            // clap's script does not complete positional arguments.
            let commands = with_named_positions().join(" ");
            let condition = format!("__fish_faber_using_subcommand {commands}");
            let line = format!("complete -c faber -n \"{condition}\" -f -a \"(__faber_names)\"\n");
            format!("{}\n{script}{line}", FISH.trim_start())
        }
        Shell::PowerShell => {
            let head = "param($wordToComplete, $commandAst, $cursorPosition)\n";
            generated(PowerShell).replacen(head, &format!("{head}{POWERSHELL}"), 1)
        }
    }
}

fn with_named_positions() -> Vec<String> {
    let mut command = command();
    command.build();
    let named = command.get_subcommands().filter(|command| {
        command.get_positionals().any(|arg| [ROLE, CONTEXT, NAMED].contains(&arg.get_value_hint()))
    });
    named.map(|command| command.get_name().to_owned()).collect()
}

fn generated(generator: impl Generator) -> String {
    let mut bytes = Vec::new();
    generate(generator, &mut command(), "faber", &mut bytes);
    let text = String::from_utf8(bytes).expect("arguments are defined in UTF-8");
    let lines = text.trim_start().lines().map(|line| line.trim_end().to_owned() + "\n");
    lines.collect()
}

pub(crate) fn man() -> String {
    let mut text = page(command(), |man, out| {
        man.render_title(out)?;
        man.render_name_section(out)?;
        man.render_synopsis_section(out)?;
        man.render_description_section(out)?;
        man.render_options_section(out)
    });
    describe("faber", &command(), &mut text);
    let extra = page(command(), |man, out| man.render_extra_section(out));
    text + &extra.replace(".SH EXTRA\nExit status:\n", ".SH \"EXIT STATUS\"\n")
}

fn describe(path: &str, command: &Command, text: &mut String) {
    for below in command.get_subcommands() {
        let path = format!("{path} {}", below.get_name());
        if below.has_subcommands() && below.get_arguments().next().is_none() {
            describe(&path, below, text);
            continue;
        }
        let section = page(below.clone().bin_name(&path), |man, out| {
            man.render_synopsis_section(out)?;
            man.render_description_section(out)?;
            man.render_options_section(out)
        });
        let lines =
            section.lines().filter(|line| !line.starts_with(".ie ") && !line.starts_with(".el "));
        let section: String = lines.map(|line| line.replacen(".SH ", ".SS ", 1) + "\n").collect();
        let _ = write!(text, ".SH \"{}\"\n{section}", path.to_uppercase());
        describe(&path, below, text);
    }
}

type RenderResult = std::io::Result<()>;

fn page(command: Command, render: impl Fn(&Man, &mut Vec<u8>) -> RenderResult) -> String {
    let mut bytes = Vec::new();
    render(&Man::new(command), &mut bytes).expect("memory takes everything");
    let text = String::from_utf8(bytes).expect("arguments are defined in UTF-8");
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}
