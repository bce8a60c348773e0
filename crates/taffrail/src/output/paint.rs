//! The few colours of the product. Each mark that is painted reads the same without paint.

/// A colour by its meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Colour {
    /// Added lines.
    Added,
    /// Removed lines.
    Removed,
    /// Places and positions.
    Place,
    /// What a person must look at.
    Warn,
    /// Headings.
    Strong,
}

/// Puts colour on text, or does not.
#[derive(Debug, Clone, Copy)]
pub struct Paint {
    on: bool,
}

impl Paint {
    /// Paint that is on or off.
    pub const fn new(on: bool) -> Self {
        Self { on }
    }

    /// The text in the colour. The text must be escaped before: it is a `Shown` or our own.
    pub fn with(&self, colour: Colour, text: &str) -> String {
        if self.on {
            format!("\x1b[{}m{text}\x1b[0m", code(colour))
        } else {
            text.to_owned()
        }
    }
}

const fn code(colour: Colour) -> &'static str {
    match colour {
        Colour::Added => "32",
        Colour::Removed => "31",
        Colour::Place => "36",
        Colour::Warn => "33",
        Colour::Strong => "1",
    }
}
