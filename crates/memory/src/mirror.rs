//! Memories as Markdown files for git, and back (REC-12).
