//! A question on a person's terminal: shown whole, escaped, answered by one key that was pressed after it was seen (POL-07).
//!
//! Must not know: which run asks, and what becomes of the answer.

mod device;
mod dialog;
mod layout;
mod panel;
mod screen;

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;

pub use device::Tty;
pub use dialog::{Choice, Dialog, Offers};
pub use panel::{Place, lines as question_lines};
pub use screen::Screen;
