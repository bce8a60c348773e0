//! The programs that can be connected, by name.

taffrail_domain::words! {
    /// A program whose configuration can hold the entry of our MCP server.
    Program, "program" {
        /// Claude Code.
        Claude "claude",
        /// Codex CLI.
        Codex "codex",
        /// Gemini CLI.
        Gemini "gemini",
        /// opencode.
        Opencode "opencode",
        /// Cursor.
        Cursor "cursor",
        /// Visual Studio Code.
        Vscode "vscode",
        /// Zed.
        Zed "zed",
    }
}
