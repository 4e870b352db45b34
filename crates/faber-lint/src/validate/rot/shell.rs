use camino::Utf8Path;

use super::claim::{CargoTarget, Claim, MakeTarget, PathClaim, Script, ShellWord, has_word};

const INTERPRETERS: &str = "bash bun node perl php python python3 ruby sh source tsx zsh .";
const MAKE_VALUES: &str = "--assume-new --assume-old --directory --eval --file --include-dir \
    --makefile --new-file --old-file --what-if -C -E -I -W -f -o";
const MAKE_NUMBERS: &str = "--jobs --load-average --max-load -j -l";

pub(super) struct ShellClaim<'a> {
    pub word: ShellWord<'a>,
    pub claim: Claim,
    pub folder: Option<String>,
}

pub(super) fn claims<'a>(line: &'a str, folder: &mut Option<String>) -> Vec<ShellClaim<'a>> {
    let mut all = Vec::new();
    let mut outer: Option<Option<String>> = None;
    for ShellCommand { words, opens, closes } in commands(line) {
        if opens {
            outer = Some(folder.clone());
        }
        let mut claims = Vec::new();
        let start = words.iter().position(|word| !is_prefix(word.text));
        if let Some((program, rest)) = start.and_then(|start| words[start..].split_first()) {
            named(*program, rest, folder, &mut claims);
        }
        let here = folder.clone();
        all.extend(claims.into_iter().map(|(word, claim)| {
            let folder = here.clone();
            ShellClaim { word, claim, folder }
        }));
        if let Some(outer) = outer.take_if(|_| closes) {
            *folder = outer;
        }
    }
    all
}

fn named<'a>(
    program: ShellWord<'a>,
    rest: &[ShellWord<'a>],
    folder: &mut Option<String>,
    claims: &mut Vec<(ShellWord<'a>, Claim)>,
) {
    match program.text {
        "cd" | "pushd" => *folder = entered(folder.as_deref(), rest.first()),
        "popd" => *folder = None,
        "make" | "gmake" => make(rest, claims),
        "npm" | "pnpm" | "yarn" | "bun" => script(program, rest, claims),
        "cargo" => cargo(rest, claims),
        _ => {}
    }
    let argument = rest.iter().find(|word| !word.text.starts_with('-'));
    // `python -m` and `node -e` run no file.
    let is_plain = rest.first().is_some_and(|word| !word.text.starts_with('-'));
    let invoked = if has_word(INTERPRETERS, program.text) {
        argument.copied().filter(|word| is_plain && word.text.contains(['/', '.']))
    } else {
        Some(program).filter(|word| word.text.contains('/'))
    };
    if let Some(word) = invoked
        && let Some(path) = PathClaim::read(word.text)
    {
        let claim = PathClaim { is_run: true, ..path };
        claims.push((word, Claim::Path(claim)));
    }
}

fn entered(from: Option<&str>, to: Option<&ShellWord<'_>>) -> Option<String> {
    let to = to.map(|word| word.text.trim_end_matches('/')).filter(|to| *to != "-")?;
    Some(Utf8Path::new(from.unwrap_or_default()).join(to).into_string())
}

#[derive(Default)]
struct ShellCommand<'a> {
    words: Vec<ShellWord<'a>>,
    opens: bool,
    closes: bool,
}

fn commands(line: &str) -> Vec<ShellCommand<'_>> {
    let mut commands = vec![ShellCommand::default()];
    let (mut at, mut has_opened) = (0, false);
    for part in parts(line) {
        let word = part.trim_end();
        let start = at;
        at += part.len();
        if word.starts_with('#') {
            break;
        }
        if ["&&", "||", "|", ";", "&"].contains(&word) {
            commands.push(ShellCommand::default());
            continue;
        }
        let text = word.trim_end_matches(';');
        let inner = text.trim_start_matches('(');
        let at = start + text.len() - inner.len();
        has_opened |= inner.len() < text.len();
        let text = if has_opened { inner.trim_end_matches(')') } else { inner };
        if let Some(last) = commands.last_mut() {
            last.opens |= at > start;
            last.closes |= text.len() < inner.len();
            if !text.is_empty() {
                last.words.push(ShellWord { at, text });
            }
        }
        if word.ends_with(';') {
            commands.push(ShellCommand::default());
        }
    }
    commands
}

fn parts(line: &str) -> Vec<&str> {
    let (mut parts, mut start, mut quote) = (Vec::new(), 0, None);
    for (at, c) in line.char_indices() {
        let next = at + c.len_utf8();
        match (quote, c) {
            (None, '"' | '\'') if line[next..].contains(c) => quote = Some(c),
            (Some(open), _) if c == open => quote = None,
            (None, _) if c.is_whitespace() => {
                parts.push(&line[start..next]);
                start = next;
            }
            _ => {}
        }
    }
    parts.push(&line[start..]);
    parts
}

fn is_prefix(word: &str) -> bool {
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let is_variable = word.split_once('=').is_some_and(|(name, _)| is_name(name));
    is_variable || ["$", "%", ">", "command", "env", "exec", "sudo", "time"].contains(&word)
}

pub(super) fn is_name(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-.:/@+".contains(c);
    let is_placeholder = word.chars().any(|c| c.is_ascii_uppercase())
        && !word.chars().any(|c| c.is_ascii_lowercase());
    !word.is_empty()
        && word.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && word.chars().all(is_part)
        && !word.contains("..")
        && !is_placeholder
        && !has_word(PLACEHOLDERS, &word.to_ascii_lowercase())
}

const PLACEHOLDERS: &str =
    "bar example foo my-package name package pkg script something target task x";

fn make<'a>(words: &[ShellWord<'a>], claims: &mut Vec<(ShellWord<'a>, Claim)>) {
    let mut folder = None;
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        let text = word.text;
        if has_word(MAKE_VALUES, text) {
            let value = words.next();
            match text {
                "-C" | "--directory" => folder = value.map(|value| value.text.to_owned()),
                "-f" | "--file" | "--makefile" => return,
                _ => {}
            }
        } else if has_word(MAKE_NUMBERS, text) {
            words.next_if(|next| is_number(next.text));
        } else if is_redirection(text) {
            return;
        } else if !text.starts_with('-') && !text.contains('=') && is_name(text) {
            let (name, folder) = (text.to_owned(), folder.clone());
            let target = MakeTarget { name, folder, others: Vec::new() };
            claims.push((*word, Claim::Make(target)));
        }
    }
}

/// "make the button blue" names no target.
pub(super) fn doubt_sentences(claims: &mut [ShellClaim<'_>]) {
    let target = |claim: &ShellClaim<'_>| match &claim.claim {
        Claim::Make(target) => Some(target.name.clone()),
        _ => None,
    };
    let all: Vec<String> = claims.iter().filter_map(target).collect();
    for claim in claims {
        if let Claim::Make(target) = &mut claim.claim {
            target.others = all.iter().filter(|other| **other != target.name).cloned().collect();
        }
    }
}

fn is_redirection(text: &str) -> bool {
    let mark = text.trim_start_matches(|c: char| c.is_ascii_digit() || c == '&');
    mark.starts_with('>') || (text.starts_with('<') && !text.ends_with('>'))
}

fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
}

fn script<'a>(
    program: ShellWord<'a>,
    words: &[ShellWord<'a>],
    claims: &mut Vec<(ShellWord<'a>, Claim)>,
) {
    if words.iter().any(|word| word.text == "--if-present") {
        return;
    }
    let values = ["-C", "--cwd", "--dir", "--filter", "--prefix", "--workspace", "-F", "-w"];
    let mut rest = words.iter().peekable();
    while let Some(word) = rest.next_if(|word| word.text.starts_with('-')) {
        if values.contains(&word.text) {
            rest.next();
        }
    }
    let Some(verb) = rest.next() else { return };
    let word = match verb.text {
        "run" | "run-script" => {
            let mut rest = rest.skip_while(|word| word.text.starts_with("--"));
            rest.next()
        }
        "test" | "start" if program.text != "bun" => Some(verb),
        _ => None,
    };
    if let Some(word) = word.filter(|word| is_name(word.text) && !word.text.contains('/')) {
        let runs_programs = matches!(program.text, "yarn" | "bun");
        let script =
            Script { name: word.text.to_owned(), runs_programs, manager: program.text.to_owned() };
        claims.push((*word, Claim::Script(script)));
    }
}

fn cargo<'a>(words: &[ShellWord<'a>], claims: &mut Vec<(ShellWord<'a>, Claim)>) {
    let verbs =
        ["b", "bench", "build", "c", "check", "clippy", "doc", "nextest", "r", "run", "t", "test"];
    let mut words = words.iter().skip_while(|word| word.text.starts_with('+'));
    if !words.next().is_some_and(|verb| verbs.contains(&verb.text)) {
        return;
    }
    while let Some(word) = words.next() {
        if word.text == "--" {
            return;
        }
        let (option, value) = match word.text.split_once('=') {
            Some((option, text)) => {
                let at = word.at + option.len() + 1;
                (option, Some(ShellWord { at, text }))
            }
            None => (word.text, None),
        };
        let kind = match option {
            "--manifest-path" => return,
            "-p" | "--package" => "package",
            "--bin" => "bin",
            "--example" => "example",
            "--test" => "test",
            "--bench" => "bench",
            _ => continue,
        };
        let value = value.or_else(|| words.next().copied());
        if let Some(value) =
            value.filter(|value| is_name(value.text) && !value.text.contains(['/', ':', '@']))
        {
            let target = CargoTarget { kind, name: value.text.to_owned() };
            claims.push((value, Claim::Cargo(target)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(line: &str) -> Vec<String> {
        let claims = claims(line, &mut None);
        claims
            .iter()
            .map(|ShellClaim { word, claim, folder }| {
                assert_eq!(&line[word.at..word.at + word.text.len()], word.text);
                match claim {
                    Claim::Path(path) => format!("path {}", path.path),
                    Claim::Make(target) => {
                        let folder = target.folder.as_ref().or(folder.as_ref());
                        format!("make {} {}", folder.map_or("-", |it| it), target.name)
                    }
                    Claim::Script(script) => format!("script {}", script.name),
                    Claim::Cargo(target) => format!("{} {}", target.kind, target.name),
                    Claim::Version(_) => "version".to_owned(),
                }
            })
            .collect()
    }

    #[test]
    fn commands_are_read_by_their_arguments() {
        let cases: &[(&str, &[&str])] = &[
            ("make -C web -j 4 all V=1 lint # more", &["make web all", "make web lint"]),
            ("cd sub && make x-y; make z", &["make sub x-y", "make sub z"]),
            ("(cd sub && make x-y) && make z", &["make sub x-y", "make - z"]),
            ("make -f other.mk all", &[]),
            ("make commit MSG=\"fix the bug\" &> a.log", &["make - commit"]),
            ("make say it's", &["make - say"]),
            ("make <target> $X NAME", &[]),
            ("make --jobs 4 -l 2.5 test < in.txt", &["make - test"]),
            ("npm run build:prod -- --watch", &["script build:prod"]),
            ("CI=1 pnpm --filter web run lint | cat", &["script lint"]),
            ("npm test && yarn start", &["script test", "script start"]),
            ("npm run lint --if-present", &[]),
            ("npm install x", &[]),
            ("cargo run --release --bin server -- --bin no", &["bin server"]),
            ("cargo +nightly test -p core --test=cli x", &["package core", "test cli"]),
            ("cargo install --bin x", &[]),
            (
                "sudo ./scripts/a.sh && bash tools/b.sh c/d.sh",
                &["path scripts/a.sh", "path tools/b.sh"],
            ),
            ("python -m pkg/x.py", &[]),
        ];
        for (line, expected) in cases {
            assert_eq!(&shown(line), expected, "{line}");
        }
    }

    #[test]
    fn each_command_runs_where_the_last_cd_before_it_leads() {
        let folders = |line: &str| {
            let mut folder = Some("a".to_owned());
            let mut all: Vec<Option<String>> =
                claims(line, &mut folder).into_iter().map(|claim| claim.folder).collect();
            all.push(folder);
            let shown = all.iter().map(|it| it.as_deref().unwrap_or("-"));
            shown.collect::<Vec<_>>().join(" ")
        };
        for (line, expected) in [
            ("make x-y && cd b/ && make z", "a a/b a/b"),
            ("cd b && cd c; make z", "a/b/c a/b/c"),
            ("(cd b && make x-y) && make z", "a/b a a"),
            ("cd - && make z", "- -"),
            ("cd /srv/b && make z", "/srv/b /srv/b"),
        ] {
            assert_eq!(folders(line), expected, "{line}");
        }
    }
}
