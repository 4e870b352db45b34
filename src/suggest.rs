//! Did you mean …?

/// The word of `known` that `word` is most likely a slip of, if one is close enough.
///
/// Case does not count. One edit in three characters, and at least one, is taken for a slip; of
/// several equally close words the first in byte order is given, so that the order of `known` does
/// not matter.
pub fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let folded = word.to_lowercase();
    let length = folded.chars().count();
    let allowed = (length / 3).max(1);
    let candidates = known.into_iter().filter_map(|candidate| {
        // The distance is at least the difference of the lengths, so a hostile word of many
        // kilobytes is not compared at all.
        if candidate.chars().count().abs_diff(length) > allowed {
            return None;
        }
        let distance = strsim::osa_distance(&folded, &candidate.to_lowercase());
        (distance <= allowed && distance < length).then_some((distance, candidate))
    });
    candidates.min().map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_recognized_and_other_words_are_not() {
        let known = ["keywords", "description", "load"];
        assert_eq!(closest("keyword", known), Some("keywords"));
        assert_eq!(closest("descripton", known), Some("description"));
        assert_eq!(closest("Laod", known), Some("load"));
        assert_eq!(closest("license", known), None);
        assert_eq!(closest("x", ["y"]), None);
        assert_eq!(closest("", known), None);
    }

    #[test]
    fn ties_do_not_depend_on_the_order() {
        assert_eq!(closest("tax", ["tay", "tag"]), Some("tag"));
        assert_eq!(closest("tax", ["tag", "tay"]), Some("tag"));
    }
}
