use proptest::prelude::*;

use super::*;
use crate::diagnostic::Reported;
use crate::parse::frontmatter;
use crate::source::SourceMap;

fn read(text: &str) -> (bool, usize) {
    let mut sources = SourceMap::default();
    let file = sources.add("x.md".into(), text.to_owned());
    let kind = frontmatter::FrontKind::Context;
    let Reported { value: parsed, diagnostics } = frontmatter::read(&sources, file, kind);
    let fields = &parsed.front.fields;
    let view = View {
        date: jiff::civil::date(2026, 6, 1),
        principal: Principal::default(),
        user_layer: false,
        environment: Some("production".to_owned()),
        platform: None,
        teams: vec!["backend".to_owned()],
        workflow: None,
        role: None,
        is_external_output: false,
    };
    let is_used =
        view.may_see(fields) && view.leaves_out(fields).is_none() && fields.superseded_by.is_none();
    (is_used, diagnostics.len())
}

fn front(yaml: &str) -> String {
    format!("---\n{yaml}---\nbody\n")
}

#[test]
fn damage_does_not_lift_a_restriction() {
    for yaml in [
        "groups: [board]\n  owner: alice\n",
        "groups: [board]\n- owner: x\n",
        "groups: [board]\n}\n",
        "groups:\n-board\n",
        "team: &b [board]\ngroups: *b\n",
        "team: &b [board]\ngroups: [*b]\n",
        "team: &b [board]\ngroups: &c\n",
        "x: &d {groups: [board]}\n<<: *d\n",
        "<<: {groups: [board]}\n",
        "&a groups: [board]\nname: x\n",
        "*a : [board]\nname: x\n",
        "groups: []\ngroups: [board]\n",
        "Groups: [board]\n",
        "-groups: [board]\n",
        "tags:\n  - a\n  - groups: [board]\n",
        "tags: [a] groups: [board]\n",
        "tags: [a]\"groups\": [board]\n",
        "b: @x\ngroups: [board]\na: [[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]\n",
        "visibility:private\nowner: bob\n",
        "visibility: !private\n",
        "visibility: !!null private\n",
        "status:draft\ntags: [a]\n",
        "status draft\ntags: [a]\n",
        "status: draft\n  tags: [a]\n",
        "status: approved\nstatus: draft\n",
        "status: !draft\n",
        "{status:draft, name: x}\n",
        "visiblity: private\n",
        "visibilty: secret\n",
        "gruops: [board]\n",
        "description: x\n status: draft\n",
        "valid_to: !2020-01-01\n",
        "valid_from: [2099-01-01]\n",
        "superseded_by: [a, b]\n",
        "when:\nteam: x\n",
        "when:\n\u{1} team: x\n",
        "when {team: x}\n",
        "name: a\n!when: {team: x}\n",
        "!when: {team: x}\n",
        "related:\n  - x\"groups\": [board]\n",
        "when: &w\nname: x\n",
        "when:\n  environment: production\n  team: *t\nx: &t y\n",
        "when:\n  not: {environment: !production}\n",
        "when:\n  not: {environment: [staging, [production]]}\n",
        "when: {environment: production, team: x, team: backend}\n",
    ] {
        let (is_used, found) = read(&front(yaml));
        assert!(!is_used && found > 0, "{yaml}");
    }
    for text in [
        "\n---\nstatus: draft\n---\nbody\n",
        "<!-- c -->\n---\ngroups: [board]\n---\nbody\n",
        "----\ngroups: [board]\n---\nbody\n",
        "--\nvisibility:private\n---\nbody\n",
        "---\nstatus:draft\nmore of it\n\n---\nbody\n",
        "groups: [board]\n---\nbody\n",
    ] {
        let (is_used, found) = read(text);
        assert!(!is_used && found > 0, "{text}");
    }
}

#[test]
fn damage_elsewhere_restricts_nothing() {
    for yaml in [
        "description: Use when: asked; status: it\nname: x\n".to_owned(),
        "description: a: b\n  c: d\n".to_owned(),
        "description: Examples:\n\n<example>\nThe status: good\n</example>\n".to_owned(),
        "\"owner\": @alice\nglobs: **/*.py\nstatus:\ngroups:\n".to_owned(),
        "groups: []\nname: @x\n".to_owned(),
        "status_page: @x\nwhen-used: y\nteam: z\n".to_owned(),
        "prose\nname: x\n".to_owned(),
        "* a bullet\nname: x\n".to_owned(),
        "grouped: true\ngroup:\nstats: high\nowners: alice\n".to_owned(),
    ] {
        assert!(read(&front(&yaml)).0, "{yaml}");
    }
    for text in
        ["----\n\nWhen asked, see x.\n\n----\n", "--\ntags: [a]\n--\n", "Status: draft\n---\n"]
    {
        assert!(read(text).0, "{text}");
    }
}

const RESTRICTIONS: [&str; 11] = [
    "groups: [board]\n",
    "\"groups\": [board, staff]\n",
    "groups:\n  - board\n  - staff\n",
    "visibility: private\n",
    "status: draft\n",
    "status: 'rejected'\n",
    "valid_to: 2020-01-01\n",
    "valid_from: 2099-01-01\n",
    "superseded_by: pattern/b\n",
    "when: {team: x}\n",
    "when:\n  environment: staging\n",
];

fn damaged() -> impl Strategy<Value = (&'static str, String)> {
    let others = vec![
        "",
        "name: a\n",
        "tags: [a, b]\n",
        "description: Use it: always\n",
        "globs: **/*.py\n",
        "owner: alice\n",
        "related:\n  - x\n  - y\n",
        "title: \"It's\"\n",
    ];
    let inserted = vec![
        ":", " ", "  ", "\t", "- ", "[", "]", "{", "}", ", ", "\"", "'", "&a ", "*a ", "*a", "!",
        "!x ", "!!str ", "? ", "<<: ", "\n", "|", ">", "\r", "@", "%", "`", "\u{1}", "\u{feff}",
    ];
    let lines = vec!["- owner: x\n", "}\n", "prose\n", "<<: *d\n", "  x: y\n", "*a\n", "{}\n"];
    let other = || prop::sample::select(others.clone());
    let restriction = prop::sample::select(RESTRICTIONS.to_vec());
    let change = (0..4, prop::sample::select(inserted), prop::sample::select(lines));
    (other(), restriction, other(), change, any::<prop::sample::Index>()).prop_map(
        |(above, restriction, below, (kind, inserted, line), at)| {
            let name = restriction.split(':').next().unwrap_or_default().trim_matches('"');
            let mut yaml = [above, restriction, below].concat();
            let is_within_word = |at: &usize| {
                let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
                yaml[..*at].ends_with(is_word) && yaml[*at..].starts_with(is_word)
            };
            let places: Vec<usize> = (0..yaml.len()).filter(|at| !is_within_word(at)).collect();
            let starts = yaml.match_indices('\n').map(|(at, _)| at + 1);
            let starts: Vec<usize> = std::iter::once(0).chain(starts).collect();
            let start = starts[at.index(starts.len())];
            let place = places[at.index(places.len())];
            match kind {
                0 if !yaml[place..].starts_with(char::is_alphanumeric) => drop(yaml.remove(place)),
                0 | 1 => yaml.insert_str(place, inserted),
                2 => yaml.insert_str(start, line),
                _ => yaml = yaml.replacen("\n  ", "\n", 1),
            }
            (name, yaml)
        },
    )
}

fn has_key(yaml: &str, name: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    yaml.match_indices(name).any(|(at, _)| {
        !yaml[..at].ends_with(is_word) && !yaml[at + name.len()..].starts_with(is_word)
    })
}

proptest! {
    #[test]
    fn a_restriction_holds_while_its_key_is_there((name, yaml) in damaged()) {
        let (is_used, _) = read(&front(&yaml));
        prop_assert!(!is_used || !has_key(&yaml, name), "{}", yaml);
    }
}
