//! Statistics as text.

use std::fmt::Write;

use faber_output::table::{Column, DisplayOptions, grouped, plain, table};

use faber_session::audit::figures::{
    ContextStats, Figure, LogFigures, QueryStats, SessionStats, StatsData, Target, ToolData,
};
use faber_session::audit::kind::CallKind;

pub(crate) const WRITERS: &str = "\
`faber serve` and hooks write it; commands do with `audit.command_line: true` in your own configuration\n";

#[derive(Clone, Copy)]
enum FigureUnit {
    Share,
    Time,
    Number,
}

use FigureUnit::{Number, Share, Time};

pub(super) fn human(data: &StatsData, look: DisplayOptions) -> String {
    if let Some(contexts) = &data.contexts {
        return by_context(contexts, look);
    }
    if let Some(queries) = &data.queries {
        return by_query(queries, searches(data), look);
    }
    if let Some(sessions) = &data.by_session {
        return by_session(sessions, look);
    }
    let (calls, sessions) = (plural(data.calls, "call"), plural(data.sessions, "session"));
    let mut out = format!("{calls} in {sessions}, {}\n", plural(data.errors, "error"));
    if let (Some(first), Some(last)) = (&data.first, &data.last) {
        let _ = writeln!(out, "{first} to {last}");
    }
    let figures_of_tool = ["calls", "errors", "empty", "tokens", "P50 ms", "P95 ms"];
    let columns = columns([Column::text("tool")], figures_of_tool);
    let rows: Vec<Vec<String>> = data.tools.iter().map(tool).collect();
    let out = plain(&out);
    format!("{out}\n{}\n{}", table(&columns, &rows, 0, look.width), figures(&data.figures, look))
}

pub(crate) fn no_calls(data: &StatsData) -> String {
    let since = data.since.as_deref().map(|since| since.get(..16).unwrap_or(since));
    let when = since.map(|since| format!(" since {} UTC", since.replace('T', " ")));
    let writers = if data.since.is_none() { WRITERS } else { "" };
    format!("no calls in the audit log{}\n{writers}", when.unwrap_or_default())
}

fn columns<const N: usize, const F: usize>(
    names: [Column; N],
    figures: [&'static str; F],
) -> Vec<Column> {
    names.into_iter().chain(figures.map(Column::figures)).collect()
}

fn by_context(contexts: &[ContextStats], look: DisplayOptions) -> String {
    let counts = ["given", "shortened", "no room", "expanded", "found"];
    let mut columns = columns([Column::text("context")], counts);
    columns.push(Column::new(""));
    let row = |context: &ContextStats| {
        let state = match (context.exists, context.is_unused()) {
            (false, _) => "no longer exists",
            (true, true) => "never given",
            (true, false) => "",
        };
        let ContextStats { given, shortened, left_out, expanded, found, .. } = *context;
        let counts = [given, shortened, left_out, expanded, found].map(whole);
        let (name, state) = (plain(&context.id), state.to_owned());
        std::iter::once(name).chain(counts).chain([state]).collect()
    };
    let rows: Vec<Vec<String>> = contexts.iter().map(row).collect();
    let never = contexts.iter().filter(|context| context.exists && context.is_unused()).count();
    let all = contexts.iter().filter(|context| context.exists).count();
    let never = format!("{never} of {} never given\n", plural(all as u64, "context"));
    format!("{}\n{}", table(&columns, &rows, 0, look.width), plain(&never))
}

fn searches(data: &StatsData) -> u64 {
    let of_kind = data.tools.iter().filter(|tool| CallKind::of(&tool.tool) == CallKind::Search);
    of_kind.map(|tool| tool.calls).sum()
}

fn by_query(queries: &[QueryStats], searches: u64, look: DisplayOptions) -> String {
    if searches == 0 {
        return "no searches in the audit log\n".to_owned();
    }
    if queries.is_empty() {
        return "every search found something\n".to_owned();
    }
    let columns = [Column::figures("calls"), Column::figures("sessions"), Column::text("question")];
    let row =
        |query: &QueryStats| vec![whole(query.calls), whole(query.sessions), plain(&query.query)];
    let rows: Vec<Vec<String>> = queries.iter().map(row).collect();
    let calls = queries.iter().map(|query| query.calls).sum();
    let count = format!("{} without an answer\n", plural(calls, "search"));
    format!("{}\n{}", table(&columns, &rows, 0, look.width), plain(&count))
}

fn by_session(sessions: &[SessionStats], look: DisplayOptions) -> String {
    let columns = columns(
        [Column::text("session"), Column::new("first call")],
        ["prompts", "lists", "details", "searches", "tokens", "saved", "share saved"],
    );
    let row = |session: &SessionStats| {
        let calls = [session.bundles, session.lists, session.details, session.searches];
        let tokens = [session.tokens, session.tokens_saved];
        let numbers = calls.into_iter().chain(tokens).map(whole);
        let names = [plain(&session.session), plain(&session.first)];
        let share = format!("{}\u{a0}%", trimmed(session.efficiency_percent));
        names.into_iter().chain(numbers).chain([share]).collect()
    };
    let rows: Vec<Vec<String>> = sessions.iter().map(row).collect();
    table(&columns, &rows, 0, look.width)
}

fn tool(tool: &ToolData) -> Vec<String> {
    vec![
        plain(&tool.tool),
        whole(tool.calls),
        whole(tool.errors),
        whole(tool.empty),
        whole(tool.tokens),
        format!("{:.1}", tool.p50_ms),
        format!("{:.1}", tool.p95_ms),
    ]
}

fn figures(figures: &LogFigures, look: DisplayOptions) -> String {
    let rows = [
        ("tool-call rate", figures.tool_call_rate, Share, "prompt", "followed by other calls"),
        ("calls per prompt", figures.calls_per_query, Number, "prompt", "calls that followed"),
        (
            "upfront sufficiency",
            figures.upfront_sufficiency,
            Share,
            "prompt",
            "not followed by other calls",
        ),
        ("latency P50", figures.latency_p50_ms, Time, "call", ""),
        ("latency P95", figures.latency_p95_ms, Time, "call", ""),
        ("relevance", figures.relevance, Number, "best result", "mean, from 0 to 1"),
        (
            "details per list",
            figures.detail_to_list,
            Number,
            "list",
            "get_context_details for each list",
        ),
        (
            "token efficiency",
            figures.token_efficiency,
            Share,
            "context token",
            "of contexts that the request called for",
        ),
    ];
    let columns = [
        Column::new(""),
        Column::new("figure"),
        Column::figures("value"),
        Column::figures("target"),
        Column::new("of"),
        Column::text("meaning"),
    ];
    let rows = rows.map(row);
    let lines = table(&columns, &rows, 0, look.width);
    if look.color { lines.split_inclusive('\n').map(painted).collect() } else { lines }
}

fn row((name, figure, unit, what, meaning): (&str, Figure, FigureUnit, &str, &str)) -> Vec<String> {
    let mark = match figure.met {
        Some(true) => "✓",
        Some(false) => "✗",
        None => "-",
    };
    let target = match figure.target {
        Some(Target::Below(most)) => format!("<\u{a0}{}", shown(most, unit)),
        Some(Target::Above(least)) => format!(">\u{a0}{}", shown(least, unit)),
        None => String::new(),
    };
    let value = figure.value.map_or("no\u{a0}data".to_owned(), |value| shown(value, unit));
    let of = plural(figure.of, what);
    vec![mark.to_owned(), name.to_owned(), value, target, of, meaning.to_owned()]
}

fn shown(value: f64, unit: FigureUnit) -> String {
    match unit {
        Share => format!("{}\u{a0}%", trimmed(value * 100.0)),
        Time => format!("{}\u{a0}ms", trimmed(value)),
        Number => format!("{value:.2}"),
    }
}

fn painted(line: &str) -> String {
    let colors = [("✓", 32), ("✗", 31), ("-", 2)];
    let paint = |(mark, color): (&str, u8)| {
        Some(format!("\u{1b}[{color}m{mark}\u{1b}[0m{}", line.strip_prefix(mark)?))
    };
    colors.into_iter().find_map(paint).unwrap_or_else(|| line.to_owned())
}

fn plural(count: u64, what: &str) -> String {
    let what = match (count, what) {
        (1, _) => what.to_owned(),
        (_, "search") => "searches".to_owned(),
        _ => format!("{what}s"),
    };
    format!("{} {what}", whole(count))
}

fn whole(number: u64) -> String {
    grouped(usize::try_from(number).unwrap_or(usize::MAX))
}

fn trimmed(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use faber_session::audit::entry::AuditEntry;
    use faber_session::audit::figures::LogData;
    use faber_session::audit::kind::ASSEMBLE;
    use faber_session::audit::tally::Tally;

    fn call(second: i64, session: &str, tool: &str) -> AuditEntry {
        let start: jiff::Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
        AuditEntry {
            time: start + jiff::SignedDuration::from_secs(second),
            session: session.to_owned(),
            tool: tool.to_owned(),
            results: vec!["a".to_owned()],
            tokens: 10,
            milliseconds: 1.0,
            ..AuditEntry::default()
        }
    }

    fn stats() -> StatsData {
        let mut tally = Tally::new(call(0, "", "").time);
        tally.add(&AuditEntry { tokens: 1234, milliseconds: 12.34, ..call(0, "a", ASSEMBLE) });
        tally.add(&AuditEntry { milliseconds: 812.0, ..call(1, "a", "odd\u{1b}[31m tool") });
        tally.add(&call(2, "a", ASSEMBLE));
        StatsData::new(&tally, None, LogData::default())
    }

    #[test]
    fn figures_are_in_columns_with_a_mark() {
        let look = DisplayOptions { width: 80, color: false, everything: false, unicode: true };
        insta::assert_snapshot!(human(&stats(), look), @r"
        3 calls in 1 session, 0 errors
        2026-01-01T00:00:00.000Z to 2026-01-01T00:00:02.000Z

        tool                calls  errors  empty  tokens  P50 ms  P95 ms
        assemble_prompt         2       0      0   1 244     1.0    12.3
        odd\u{1b}[31m tool      1       0      0      10   812.0   812.0

           figure                 value    target  of                meaning
        ✗  tool-call rate          50 %    < 20 %  2 prompts         followed by other
                                                                     calls
        ✓  calls per prompt        0.50    < 3.00  2 prompts         calls that followed
        ✗  upfront sufficiency     50 %    > 80 %  2 prompts         not followed by
                                                                     other calls
        -  latency P50          12.3 ms            3 calls
        ✗  latency P95           812 ms  < 500 ms  3 calls
        -  relevance            no data    > 0.70  0 best results    mean, from 0 to 1
        -  details per list     no data    < 0.30  0 lists           get_context_details
                                                                     for each list
        -  token efficiency     no data    > 60 %  0 context tokens  of contexts that
                                                                     the request called
                                                                     for
        ");
        let colored = human(&stats(), DisplayOptions { color: true, ..look });
        assert!(colored.contains("\u{1b}[31m✗\u{1b}[0m  tool-call rate"), "{colored}");
        assert!(!colored.contains("odd\u{1b}"), "{colored}");
    }
}
