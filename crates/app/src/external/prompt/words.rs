//! The words of the prompt that are ours.

/// What the final message must hold, in short; `docs/schemas/agent-result.json` has the whole of it.
pub const RESULT_SCHEMA: &str = r#"{
  "status": "DONE" | "DONE_WITH_CONCERNS" | "NEEDS_CONTEXT" | "BLOCKED" | "FAILED",
  "summary": "what was done and what came of it, in a few sentences",
  "changed_files": [{"path": "...", "change": "added" | "modified" | "deleted"}],
  "findings": [{"problem": "...", "severity": "blocker" | "major" | "minor" | "info", "impact": "...", "suggested_fix": "...", "evidence": "..."}],
  "questions": [{"question": "...", "why": "..."}],
  "errors": [{"type": "execution-error", "message": "..."}],
  "acceptance": [{"criterion": "...", "status": "met" | "partial" | "not_met" | "not_applicable", "evidence": "..."}],
  "artifacts": [{"path": "...", "kind": "...", "summary": "..."}],
  "metrics": {}
}
`status` and `summary` are required; leave out what is empty."#;
