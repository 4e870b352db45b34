use faber_core::terms::pieces::{is_stop, pieces, stem_of};
use faber_core::terms::words::Normalizer;
use foldhash::HashMap;

const MAX_KNOWN: usize = 200_000;

#[derive(Default)]
pub(crate) struct Analyzer {
    normalizer: Normalizer<'static>,
    known: HashMap<String, (Box<str>, u32)>,
    stems: HashMap<String, Box<str>>,
}

impl Analyzer {
    pub(crate) fn add(&mut self, text: &str, terms: &mut String) -> u32 {
        let mut count = 0;
        for word in text.split_whitespace() {
            if let Some((found, own)) = self.known.get(word) {
                count += append(terms, found, *own);
                continue;
            }
            if self.known.len() == MAX_KNOWN {
                self.known.clear();
            }
            let (found, own) = self.terms(word);
            count += append(terms, &found, own);
            self.known.insert(word.to_owned(), (found, own));
        }
        count
    }

    fn terms(&mut self, word: &str) -> (Box<str>, u32) {
        let (mut terms, mut count) = (String::new(), 0);
        for piece in pieces(word) {
            let text = &word[piece.bytes];
            if let Some(stem) = self.stems.get(text) {
                count += append(&mut terms, stem, u32::from(!stem.is_empty()));
                continue;
            }
            let stem = if is_stop(text) { String::new() } else { stem_of(text, &self.normalizer) };
            count += append(&mut terms, &stem, u32::from(!stem.is_empty()));
            if self.stems.len() == MAX_KNOWN {
                self.stems.clear();
            }
            self.stems.insert(text.to_owned(), stem.into());
        }
        (terms.into(), count)
    }
}

fn append(terms: &mut String, more: &str, count: u32) -> u32 {
    if count > 0 {
        if !terms.is_empty() {
            terms.push(' ');
        }
        terms.push_str(more);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_stems_without_stop_words() {
        let mut analyzer = Analyzer::default();
        let mut terms = String::new();
        assert_eq!(analyzer.add("How to rotate the API-keys?\n", &mut terms), 3);
        assert_eq!(analyzer.add("RateLimitError rotating", &mut terms), 5);
        assert_eq!(terms, "rotat api key rate limit error ratelimiterror rotat");
        assert_eq!(analyzer.add("and the", &mut terms), 0);
    }
}
