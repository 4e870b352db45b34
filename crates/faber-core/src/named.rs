//! Enums with a word for each variant.

/// Defines an enum with `ALL`, `name` and `from_name`.
#[macro_export]
macro_rules! named_enum {
    ($(#[$of:meta])* $vis:vis enum $name:ident { $($(#[$about:meta])* $variant:ident = $word:literal,)* }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        $(#[$of])*
        $vis enum $name { $($(#[$about])* #[serde(rename = $word)] $variant,)* }

        impl $name {
            $vis const ALL: [(&'static str, Self); [$($word),*].len()] =
                [$(($word, Self::$variant)),*];

            $vis fn name(self) -> &'static str {
                Self::ALL[self as usize].0
            }

            $vis fn from_name(word: &str) -> Option<Self> {
                Self::ALL.iter().find(|(name, _)| *name == word).map(|(_, variant)| *variant)
            }
        }
    };
}

#[cfg(test)]
mod tests {
    named_enum! {
        enum Color {
            Red = "red",
            DarkBlue = "dark-blue",
        }
    }

    #[test]
    fn names_lead_back() {
        for (name, color) in Color::ALL {
            assert_eq!((color.name(), Color::from_name(name)), (name, Some(color)));
        }
        assert_eq!(Color::from_name("Red"), None);
    }
}
