//! ## What it finds
//!
//! A step of a flow that names a task which is neither the role's nor the workspace's: by path, or
//! by its name after `**Task**:`. A step without a task says `N/A`.
//!
//! ## Why it matters
//!
//! The flow stops there, or the model invents the task.
//!
//! ## Example
//!
//! ```markdown
//! ### Step 1: Review
//! - **Task**: `/tasks/reveiw.md`
//! ```
//!
//! Better:
//!
//! ```markdown
//! ### Step 1: Review
//! - **Task**: `/tasks/review.md`
//! ```
//!
//! ## How to fix it
//!
//! Correct the name, or add the task: `faber new task NAME --role ROLE`.

use crate::rule::{Group, Rule};

/// The rule.
pub static RULE: Rule = Rule::error(
    "flow-task-missing",
    Group::Role,
    "a step of a flow whose task does not exist",
    include_str!("flow_task_missing.rs"),
);
