use super::*;
use crate::line::lines_of;
use crate::source::SourceMap;

proptest::proptest! {
    #[test]
    fn any_prompt_will_do(text in "(\"a\"|[-*#>|`:,.( )\n]|→|Load |On |error|x\\.md|If |é|\\[a\\]\\(b\\)|\t){0,60}") {
        let mut sources = SourceMap::default();
        let file = sources.add("prompt.md".into(), text.clone());
        let lines = lines_of(&sources, file, 0..text.len());
        let found = read(&sources, &lines);
        for rule in &found.rules {
            for part in rule.terms.iter().chain([&rule.target]) {
                let bytes = part.span.range();
                proptest::prop_assert!(text.get(bytes).is_some_and(|own| !own.is_empty()));
            }
        }
        for directive in &found.directives {
            proptest::prop_assert!(directive.lines.end <= lines.len());
            proptest::prop_assert!(directive.below.end <= lines.len());
        }
        let rest = emitted(&lines, &found, |_| true, &sources);
        proptest::prop_assert!(rest.len() <= lines.len());
        proptest::prop_assert_eq!(emitted(&lines, &found, |_| false, &sources), lines.clone());
        crate::parse::references::scan::references(&sources, &lines);
    }
}
