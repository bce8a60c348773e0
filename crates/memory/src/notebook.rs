//! The project's notebook: one Markdown document, its sections, its view within a budget, tidying (NB-02, NB-03).
