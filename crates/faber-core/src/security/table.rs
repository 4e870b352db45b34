//! Finds any of several strings in one pass.

const HASHES: usize = 1 << 10;

/// Strings of at least two bytes, with a set of the hashes of their first two.
pub(super) struct Table {
    pub(super) strings: &'static [&'static str],
    beginnings: [bool; HASHES],
}

impl Table {
    /// # Panics
    ///
    /// If a string is too short.
    pub(super) const fn new(strings: &'static [&'static str]) -> Self {
        let (mut beginnings, mut at) = ([false; HASHES], 0);
        while at < strings.len() {
            let bytes = strings[at].as_bytes();
            beginnings[hash(bytes[0], bytes[1])] = true;
            at += 1;
        }
        Self { strings, beginnings }
    }

    /// In order of their places.
    pub(super) fn find_all(&self, text: &str) -> impl Iterator<Item = (usize, &'static str)> {
        let bytes = text.as_bytes();
        let starts = (1..bytes.len()).filter(|&at| self.may_begin(bytes[at - 1], bytes[at]));
        starts.flat_map(move |at| {
            let rest = &bytes[at - 1..];
            let same = self.strings.iter().filter(move |it| it.as_bytes()[0] == rest[0]);
            let found = same.filter(move |it| rest.starts_with(it.as_bytes()));
            found.map(move |it| (at - 1, *it))
        })
    }

    pub(super) fn find(&self, text: &str) -> Option<usize> {
        self.find_all(text).next().map(|(at, _)| at)
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        self.find(text).is_some()
    }

    pub(super) fn begins(&self, text: &str) -> bool {
        let [first, second, ..] = *text.as_bytes() else { return false };
        self.may_begin(first, second)
            && self.strings.iter().any(|it| it.as_bytes()[0] == first && text.starts_with(it))
    }

    fn may_begin(&self, first: u8, second: u8) -> bool {
        self.beginnings[hash(first, second)]
    }
}

const fn hash(first: u8, second: u8) -> usize {
    (first as usize & 31) << 5 | second as usize & 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_found_where_they_begin() {
        const TABLE: Table = Table::new(&["ab", "abc", "é", ".x", "指示"]);
        let all = |text| TABLE.find_all(text).collect::<Vec<_>>();
        assert_eq!(all("abcab.x"), [(0, "ab"), (0, "abc"), (3, "ab"), (5, ".x")]);
        assert_eq!(all("a é指示指"), [(2, "é"), (4, "指示")]);
        for text in ["", "a", "ac", "Ab", "指", "nx"] {
            assert!(!TABLE.is_in(text) && !TABLE.begins(text), "{text}");
        }
        assert!(TABLE.begins("abx") && !TABLE.begins("xab"));
        assert_eq!(TABLE.find("x.x.x"), Some(1));
    }
}
