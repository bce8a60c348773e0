//! The pages, as they are in the tree. A test says which one is missing here.

/// Name and text.
pub(super) const PAGES: &[(&str, &str)] = &[
    ("readme", include_str!("../../../../README.md")),
    ("box", include_str!("../../../../docs/box.md")),
    ("agents", include_str!("../../../../docs/agents.md")),
    ("acp", include_str!("../../../../docs/acp.md")),
    ("memory", include_str!("../../../../docs/memory.md")),
    (
        "memory-exchange",
        include_str!("../../../../docs/memory-exchange.md"),
    ),
    ("recall", include_str!("../../../../docs/recall.md")),
    ("notebook", include_str!("../../../../docs/notebook.md")),
    ("slates", include_str!("../../../../docs/slates.md")),
    ("mcp", include_str!("../../../../docs/mcp.md")),
    ("connect", include_str!("../../../../docs/connect.md")),
    ("policy", include_str!("../../../../docs/policy.md")),
    ("secrets", include_str!("../../../../docs/secrets.md")),
    ("operations", include_str!("../../../../docs/operations.md")),
    ("config", include_str!("../../../../docs/config.md")),
    ("errors", include_str!("../../../../docs/errors.md")),
    ("json", include_str!("../../../../docs/json.md")),
    ("schema", include_str!("../../../../docs/schema.md")),
    (
        "performance",
        include_str!("../../../../docs/performance.md"),
    ),
    ("security", include_str!("../../../../SECURITY.md")),
];
