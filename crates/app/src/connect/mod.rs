//! The entry of our MCP server in another program's own configuration: written, shown, and taken back to the byte.

mod program;

pub use program::Program;
