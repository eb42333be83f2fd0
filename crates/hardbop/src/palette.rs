//! The few styles that text output uses; all of them empty where there are no colours.

use crate::arguments::Color;
use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

/// Styles by what they say.
#[derive(Clone, Copy, Debug)]
pub struct Palette {
    /// A verdict of `holds`.
    pub good: Style,
    /// A verdict of `violated`.
    pub bad: Style,
    /// A verdict of `unknown`.
    pub unsure: Style,
    /// What stands out: headlines, values that changed.
    pub strong: Style,
    /// What may be overlooked: numbers, notes.
    pub faint: Style,
}

impl Palette {
    const PLAIN: Self =
        Self { good: Style::new(), bad: Style::new(), unsure: Style::new(), strong: Style::new(), faint: Style::new() };

    const COLOURED: Self = Self {
        good: AnsiColor::Green.on_default().bold(),
        bad: AnsiColor::Red.on_default().bold(),
        unsure: AnsiColor::Yellow.on_default().bold(),
        strong: Style::new().bold(),
        faint: Style::new().dimmed(),
    };

    /// The styles for standard output.
    pub fn of_stdout(color: Color) -> Self {
        match colours_stdout(color) {
            true => Self::COLOURED,
            false => Self::PLAIN,
        }
    }
}

/// Whether what is printed on standard output is coloured.
pub fn colours_stdout(color: Color) -> bool {
    is_coloured(color, AutoStream::choice(&std::io::stdout()))
}

/// Whether diagnostics on standard error are coloured.
pub fn colours_stderr(color: Color) -> bool {
    is_coloured(color, AutoStream::choice(&std::io::stderr()))
}

fn is_coloured(asked: Color, found: ColorChoice) -> bool {
    match asked {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => found != ColorChoice::Never,
    }
}
