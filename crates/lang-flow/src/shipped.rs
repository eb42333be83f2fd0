//! The analyses that come with Hardbop; each is a file of its own.

macro_rules! shipped {
    ($($name:literal,)+) => {
        /// The name and the text of each, in the order of the alphabet.
        pub const ALL: &[(&str, &str)] = &[$(($name, include_str!(concat!("../analyses/", $name, ".flow"))),)+];
    };
}

shipped! { "available", "file", "live", "lock", "null", "reaching", "taint", "uninit", }

/// The text of the shipped analysis of this name.
pub fn text(name: &str) -> Option<&'static str> {
    ALL.iter().find(|(known, _)| *known == name).map(|(_, text)| *text)
}
