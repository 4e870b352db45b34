//! What a role's prompt says about when to load which context.
//!
//! People write it as tables, as lists with arrows and as sentences. What is clearly one of these is
//! read as a rule or recognized as something that faber does anyway; everything else stays text.

mod emit;
mod sentence;
mod table;
pub(crate) mod words;

use std::ops::Range;

pub use emit::emitted;
pub(crate) use table::table_kind;

use self::sentence::Sentence;
use super::prose::{Block, Inline, Item, Node, Prose, tokens};
use super::references::category_of;
use crate::category::Category;
use crate::line::Line;
use crate::source::{SourceMap, Spanned};

/// What faber read out of a prompt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptRules {
    /// The rules, in order.
    pub rules: Vec<Rule>,
    /// One per line of the prompt: whether it is a directive that faber carries out, so that the
    /// reader of the bundle must not be asked again.
    pub understood: Vec<bool>,
}

/// One rule: any of its terms selects its target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule {
    /// What the terms are matched against.
    pub kind: RuleKind,
    /// The terms as they are written, without quotation marks and mark-up.
    pub terms: Vec<Spanned<String>>,
    /// The reference to a context.
    pub target: Spanned<String>,
}

/// What the terms of a [`Rule`] are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RuleKind {
    /// Keywords, for the request.
    Keyword,
    /// Errors, for the error text and the request.
    Error,
    /// Names of platforms. Detection decides about these; the rule selects nothing.
    Platform,
}

/// Reads the rules of the prompt with these lines (front matter cut off).
pub fn read(sources: &SourceMap, lines: &[Line]) -> PromptRules {
    let prose = Prose::read(sources, lines);
    let mut reader = Reader {
        prose: &prose,
        rules: Vec::new(),
        understood: vec![false; lines.len()],
        has_table: has_rule_table(&prose.blocks),
    };
    reader.blocks(&prose.blocks, Lead::None);
    PromptRules { rules: reader.rules, understood: reader.understood }
}

fn has_rule_table(blocks: &[Block]) -> bool {
    blocks.iter().any(|block| match &block.node {
        Node::Table(table) => table_kind(table).is_some(),
        Node::List(items) => items.iter().any(|item| has_rule_table(&item.children)),
        _ => false,
    })
}

/// What the category of a target makes of a rule.
fn kind_of_target(target: &str) -> RuleKind {
    match category_of(target) {
        Some(Category::Platform) => RuleKind::Platform,
        Some(Category::Troubleshooting) => RuleKind::Error,
        _ => RuleKind::Keyword,
    }
}

struct Reader<'a> {
    prose: &'a Prose<'a>,
    rules: Vec<Rule>,
    understood: Vec<bool>,
    /// Whether the prompt has a table that "in table below" can mean.
    has_table: bool,
}

/// What the text before a block says about it.
#[derive(Clone)]
enum Lead {
    None,
    /// It holds when one of these errors occurs.
    Error(Vec<Spanned<String>>),
    /// It holds under some condition that faber does not decide.
    Condition,
}

impl Reader<'_> {
    /// Reads blocks that follow each other, the first after `lead`. Whether all were understood.
    fn blocks(&mut self, blocks: &[Block], mut lead: Lead) -> bool {
        let mut done = Vec::with_capacity(blocks.len());
        for block in blocks {
            done.push(self.block(block, &lead));
            lead = match &block.node {
                Node::Heading(_, inline) | Node::Paragraph(inline) => self.lead(inline),
                _ => Lead::None,
            };
        }
        // Backwards, for one lead-in may lead to the next.
        for at in (1..blocks.len()).rev() {
            let Node::Paragraph(inline) = &blocks[at - 1].node else { continue };
            if done[at] && !done[at - 1] && is_lead_in(inline) {
                done[at - 1] = true;
                self.mark(&blocks[at - 1].lines);
            }
        }
        done.into_iter().all(|done| done)
    }

    fn block(&mut self, block: &Block, lead: &Lead) -> bool {
        match &block.node {
            Node::Heading(..) | Node::Quote(_) | Node::Opaque => false,
            Node::Paragraph(inline) => self.paragraph(inline, block, lead),
            Node::List(items) => {
                let done: Vec<_> = items.iter().map(|item| self.item(item, lead)).collect();
                done.into_iter().all(|done| done)
            }
            Node::Table(table) => {
                let Some(kind) = table_kind(table) else { return false };
                let done = table::read(self.prose, table, kind, &mut self.rules);
                if done {
                    self.mark(&block.lines);
                }
                done
            }
        }
    }

    /// Reads a paragraph line by line. A line with a rule is one wherever it stands; other
    /// directives count only among their like, for else they may be parts of a sentence.
    fn paragraph(&mut self, inline: &Inline, block: &Block, lead: &Lead) -> bool {
        let ranges = inline.lines();
        let mut all = !ranges.is_empty();
        let mut next_is_done = false;
        for (at, range) in ranges.iter().enumerate().rev() {
            let is_rule = matches!(Self::sentence(inline, range), Sentence::Rule(_));
            let leads = at + 1 < ranges.len()
                && next_is_done
                && sentence::is_lead_in(&tokens(inline, range), inline.is_bold(range));
            next_is_done = self.would_be_done(inline, range, lead) || leads;
            if is_rule && next_is_done {
                let number = self.prose.line_of(inline, range);
                self.mark(&(number..number + 1));
            }
            all &= next_is_done;
        }
        for range in &ranges {
            self.carry_out(inline, range, lead);
        }
        if all {
            self.mark(&block.lines);
        }
        all
    }

    fn item(&mut self, item: &Item, lead: &Lead) -> bool {
        let all = item.inline.all();
        let done = self.would_be_done(&item.inline, &all, lead);
        self.carry_out(&item.inline, &all, lead);
        let below = self.blocks(&item.children, self.lead(&item.inline));
        let leads = !item.children.is_empty() && is_lead_in(&item.inline);
        let done = below && (done || leads);
        if done {
            self.mark(&item.own);
        }
        done
    }

    fn sentence(inline: &Inline, range: &Range<usize>) -> Sentence {
        sentence::read(inline.text(), &tokens(inline, range))
    }

    /// Whether the sentence is nothing but a directive that faber carries out.
    fn would_be_done(&self, inline: &Inline, range: &Range<usize>, lead: &Lead) -> bool {
        match Self::sentence(inline, range) {
            Sentence::Rule(rule) => rule.pure,
            Sentence::Load(asked) => {
                asked.pure
                    && match lead {
                        Lead::None => asked.certain,
                        Lead::Error(_) => true,
                        Lead::Condition => false,
                    }
            }
            Sentence::Detection => true,
            Sentence::SeeTable => self.has_table,
            Sentence::Other => false,
        }
    }

    /// Adds the rules that the sentence states.
    fn carry_out(&mut self, inline: &Inline, range: &Range<usize>, lead: &Lead) {
        match (Self::sentence(inline, range), lead) {
            (Sentence::Rule(rule), _) => {
                let terms = self.spanned(inline, &rule.terms);
                for target in self.spanned(inline, &rule.targets) {
                    let kind = match kind_of_target(&target.value) {
                        RuleKind::Keyword if rule.is_error => RuleKind::Error,
                        kind => kind,
                    };
                    self.rules.push(Rule { kind, terms: terms.clone(), target });
                }
            }
            (Sentence::Load(asked), Lead::Error(terms)) => {
                for target in self.spanned(inline, &asked.targets) {
                    // A pattern or placeholder is no target that a rule could select.
                    if super::references::is_context(&target.value) {
                        self.rules.push(Rule {
                            kind: RuleKind::Error,
                            terms: terms.clone(),
                            target,
                        });
                    }
                }
            }
            _ => {}
        }
    }

    /// What `inline` says about the block after it.
    fn lead(&self, inline: &Inline) -> Lead {
        let tokens = tokens(inline, &inline.all());
        if let Some(terms) = sentence::error_lead(inline.text(), &tokens) {
            return Lead::Error(self.spanned(inline, &terms));
        }
        if tokens.first().is_some_and(words::is_condition) { Lead::Condition } else { Lead::None }
    }

    fn spanned(&self, inline: &Inline, ranges: &[Range<usize>]) -> Vec<Spanned<String>> {
        ranges.iter().map(|range| self.prose.spanned(inline, range)).collect()
    }

    fn mark(&mut self, lines: &Range<usize>) {
        for line in lines.clone() {
            if let Some(understood) = self.understood.get_mut(line) {
                *understood = true;
            }
        }
    }
}

fn is_lead_in(inline: &Inline) -> bool {
    let all = inline.all();
    sentence::is_lead_in(&tokens(inline, &all), inline.is_bold(&all))
}

#[cfg(test)]
mod tests;
