//! The agents that may be driven: what the registry holds, what of it is here, and how an entry of the user's own comes
//! into it (FA-03).
//!
//! Must not start an agent: the gates ask for a version, `run` does the rest.

mod add;
mod catalogue;
pub(crate) mod edit;
mod fault;
mod fits;
mod list;

pub use add::{Draft, Typed, Wanted, draft, write};
pub use fault::RegistryFault;
pub use list::{Listed, Listing, Probed, list, probe};
