//! Parses a partial command line.

use clap::{Arg, Command, CommandFactory};

use crate::cli::args::{CONTEXT, Cli, FLOW, NAMED, ROLE, TASK};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameKind {
    Roles,
    Contexts,
    Tasks,
    Flows,
    Teams,
    Workflows,
    Layers,
    Models,
    Rules,
    Schemas,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameRequest {
    pub names: NameKind,
    pub root: Option<String>,
    pub role: Option<String>,
    pub prefix: String,
}

struct CommandLine<'a> {
    command: &'a Command,
    open: Option<&'a Arg>,
    positions: usize,
    closed: bool,
    root: Option<String>,
    role: Option<String>,
}

pub(crate) fn parse_name_request(words: &[String]) -> Option<NameRequest> {
    let mut command = Cli::command();
    command.build();
    let [_, before @ .., prefix] = words else { return None };
    let mut walk = CommandLine {
        command: &command,
        open: None,
        positions: 0,
        closed: false,
        root: None,
        role: None,
    };
    for word in before {
        walk.pass(word);
    }
    let arg = walk.expected(prefix)?;
    let names = match (arg.get_value_hint(), arg.get_id().as_str()) {
        (ROLE, _) => NameKind::Roles,
        (CONTEXT, _) => NameKind::Contexts,
        (TASK, _) => NameKind::Tasks,
        (FLOW, _) => NameKind::Flows,
        (NAMED, "team") => NameKind::Teams,
        (NAMED, "workflow") => NameKind::Workflows,
        (NAMED, "layer") => NameKind::Layers,
        (NAMED, "model") => NameKind::Models,
        (NAMED, "rule") => NameKind::Rules,
        (NAMED, "schema") => NameKind::Schemas,
        _ => return None,
    };
    Some(NameRequest { names, root: walk.root, role: walk.role, prefix: prefix.clone() })
}

impl<'a> CommandLine<'a> {
    fn pass(&mut self, word: &str) {
        // Bash splits `--role=x` into three words.
        if word == "=" && self.open.is_some() {
            return;
        }
        if let Some(open) = self.open.take() {
            self.keep(open, word);
        } else if self.closed || !word.starts_with('-') || word == "-" {
            self.pass_position(word);
        } else if word == "--" {
            self.closed = true;
        } else {
            self.pass_option(word);
        }
    }

    fn pass_position(&mut self, word: &str) {
        if let Some(below) = self.command.find_subcommand(word).filter(|_| !self.closed) {
            (self.command, self.positions) = (below, 0);
            return;
        }
        if let Some(position) = self.command.get_positionals().nth(self.positions) {
            self.keep(position, word);
        }
        self.positions += 1;
    }

    fn pass_option(&mut self, word: &str) {
        let (option, value) = if let Some(long) = word.strip_prefix("--") {
            let (name, value) = long.split_once('=').map_or((long, None), |(n, v)| (n, Some(v)));
            (self.find(|arg| arg.get_long() == Some(name)), value)
        } else {
            let mut rest = word[1..].chars();
            let name = rest.next();
            let value = Some(rest.as_str()).filter(|value| !value.is_empty());
            (self.find(|arg| arg.get_short() == name), value)
        };
        let Some(option) = option.filter(|option| option.get_action().takes_values()) else {
            return;
        };
        // An optional value needs `=`.
        let may_be_left_out = option.get_num_args().is_some_and(|range| range.min_values() == 0);
        match value {
            Some(value) => self.keep(option, value),
            None if may_be_left_out => {}
            None => self.open = Some(option),
        }
    }

    fn find(&self, is: impl Fn(&Arg) -> bool) -> Option<&'a Arg> {
        self.command.get_arguments().find(|arg| is(arg))
    }

    fn keep(&mut self, arg: &Arg, value: &str) {
        match arg.get_id().as_str() {
            "root" => self.root = Some(value.to_owned()),
            "role" => self.role = Some(value.to_owned()),
            _ => {}
        }
    }

    fn expected(&self, word: &str) -> Option<&'a Arg> {
        if self.open.is_some() {
            return self.open;
        }
        if word.starts_with('-') && !self.closed {
            return None;
        }
        self.command.get_positionals().nth(self.positions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(line: &str) -> Option<NameKind> {
        let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
        parse_name_request(&words).map(|request| request.names)
    }

    #[test]
    fn the_definitions_say_where_names_are_completed() {
        use NameKind::{Contexts, Flows, Roles, Tasks};
        assert_eq!(names("faber assemble --task "), Some(Tasks));
        assert_eq!(names("faber explain --flow "), Some(Flows));
        assert_eq!(names("faber assemble --team "), Some(NameKind::Teams));
        assert_eq!(names("faber tokens --model "), Some(NameKind::Models));
        assert_eq!(names("faber new overlay x --layer "), Some(NameKind::Layers));
        assert_eq!(names("faber schema "), Some(NameKind::Schemas));
        assert_eq!(names("faber rules bad"), Some(NameKind::Rules));
        for line in ["faber assemble ", "faber show x --role r", "faber -q config show --role "] {
            assert_eq!(names(line), Some(Roles), "{line}");
        }
        for line in [
            "faber show st",
            "faber -C elsewhere explain ",
            "faber diff --format json ",
            "faber assemble clerk --budget 9 --with ",
            "faber assemble --without standard/a --without ",
            "faber show -- st",
            "faber show --role = clerk st",
        ] {
            assert_eq!(names(line), Some(Contexts), "{line}");
        }
        for line in [
            "faber ",
            "faber",
            "faber assemble clerk ",
            "faber assemble -",
            "faber assemble --request ",
            "faber tokens ",
            "faber nonsense ",
        ] {
            assert_eq!(names(line), None, "{line}");
        }
    }

    #[test]
    fn options_of_the_line_choose_the_workspace() {
        let words = ["faber", "-C", "a b", "assemble", "clerk", "--with", "pl"].map(str::to_owned);
        let request = parse_name_request(&words).unwrap();
        assert_eq!(
            (request.root.as_deref(), request.role.as_deref()),
            (Some("a b"), Some("clerk"))
        );
        assert_eq!(request.prefix, "pl");
        let words = ["faber", "show", "--role=x", "-Cdir", ""].map(str::to_owned);
        let request = super::parse_name_request(&words).unwrap();
        assert_eq!((request.root.as_deref(), request.role.as_deref()), (Some("dir"), Some("x")));
    }
}
