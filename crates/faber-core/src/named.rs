//! Enums with a word for each variant.

/// The documentation of a variant is its help on the command line.
#[macro_export]
macro_rules! named_enum {
    ($(#[$of:meta])* $vis:vis enum $name:ident { $($(# $about:tt)* $variant:ident = $word:literal,)* }) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
        $(#[$of])*
        $vis enum $name { $($(# $about)* #[serde(rename = $word)] $variant,)* }

        impl $name {
            $vis const NAMES: [&'static str; [$($word),*].len()] = [$($word),*];

            $vis const ALL: [(&'static str, Self); Self::NAMES.len()] =
                [$(($word, Self::$variant)),*];

            $vis const WORDS: [(&'static str, &'static str, Self); Self::NAMES.len()] =
                [$(($word, concat!($($crate::named_enum!(@help $about)),*), Self::$variant)),*];

            $vis fn name(self) -> &'static str {
                Self::NAMES[self as usize]
            }

            $vis fn from_name(word: &str) -> Option<Self> {
                Self::ALL.iter().find(|(name, _)| *name == word).map(|(_, variant)| *variant)
            }
        }
    };
    (@help [doc = $line:literal]) => { $line };
    (@help $other:tt) => { "" };
}

#[cfg(test)]
mod tests {
    named_enum! {
        #[derive(Default)]
        enum Color {
            Red = "red",
            /// As the sea
            /// at night
            #[default]
            DarkBlue = "dark-blue",
        }
    }

    #[test]
    fn names_lead_back() {
        for (name, color) in Color::ALL {
            assert_eq!((color.name(), Color::from_name(name)), (name, Some(color)));
        }
        assert_eq!(Color::from_name("Red"), None);
        let [(_, no_help, _), dark] = Color::WORDS;
        assert_eq!((no_help, dark), ("", ("dark-blue", " As the sea at night", Color::default())));
    }
}
