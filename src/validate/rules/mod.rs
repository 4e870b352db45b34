//! The rules, one file each; the comment at the head of a file is the rule's documentation.

pub mod bidi_control;
pub mod control_character;
pub mod encoded_blob;
pub mod hidden_instruction;
pub mod injection_phrase;
pub mod invisible_character;
pub mod mixed_line_endings;
pub mod mixed_script;
pub mod remote_execution;
pub mod secret;
pub mod unclosed_fence;
pub mod unicode_tag;
pub mod variation_selector_run;
pub mod zero_width;
