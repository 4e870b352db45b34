//! What the scan reports, one file each. The doc comment at the head of a file is the documentation of its
//! rule.

pub mod bidi_control;
pub mod control_character;
pub mod encoded_blob;
pub mod hidden_instruction;
pub mod injection_phrase;
pub mod invisible_character;
pub mod mixed_script;
pub mod remote_execution;
pub mod secret;
pub mod unicode_tag;
pub mod variation_selector_run;
pub mod zero_width;
