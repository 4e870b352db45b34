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
        enum Colour {
            Red = "red",
            DarkBlue = "dark-blue",
        }
    }

    #[test]
    fn names_lead_back() {
        for (name, colour) in Colour::ALL {
            assert_eq!((colour.name(), Colour::from_name(name)), (name, Some(colour)));
        }
        assert_eq!(Colour::from_name("Red"), None);
    }
}
