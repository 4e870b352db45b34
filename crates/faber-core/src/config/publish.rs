//! Configuration of `faber pack publish`.

use super::scalar::{text, texts};
use crate::source::Spanned;
use crate::yaml::Node;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PublishConfig {
    pub name: Option<Spanned<String>>,
    pub description: Option<Spanned<String>>,
    pub owner: Option<Spanned<String>>,
    pub homepage: Option<Spanned<String>>,
    pub repository: Option<Spanned<String>>,
    pub license: Option<Spanned<String>>,
    pub keywords: Vec<Spanned<String>>,
}

impl PublishConfig {
    pub(super) fn read(node: Option<&Node>) -> Self {
        let get = |key: &str| node.and_then(|node| node.get(key));
        let one = |key: &str| get(key).and_then(text);
        Self {
            name: one("name"),
            description: one("description"),
            owner: one("owner"),
            homepage: one("homepage"),
            repository: one("repository"),
            license: one("license"),
            keywords: texts(get("keywords")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{over_defaults, rules, workspace};
    use super::super::typed;

    #[test]
    fn what_is_said_about_the_whole_is_text() {
        let (sources, node) =
            over_defaults("publish: { name: acme, license: MIT, keywords: [rust, 2024] }\n");
        let publish = typed(&node, &sources).publish;
        let text = |text: &Option<super::Spanned<String>>| text.as_ref().map(|it| it.value.clone());
        assert_eq!(text(&publish.name).as_deref(), Some("acme"));
        assert_eq!((text(&publish.license).as_deref(), text(&publish.owner)), (Some("MIT"), None));
        let keywords: Vec<&str> = publish.keywords.iter().map(|it| &*it.value).collect();
        assert_eq!(keywords, ["rust", "2024"]);
        let (sources, _, found) = workspace("publish: { name: '', version: 1 }\n");
        assert_eq!(rules(&sources, &found).len(), 2, "an empty name, and an unknown key");
    }
}
