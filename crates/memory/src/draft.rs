//! What somebody wants remembered, and the guardrails that it passes before anything is stored (MEM-03, MEM-04).
