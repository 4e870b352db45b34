//! Tests that run the program, in one binary that links once.
#![expect(clippy::disallowed_methods, reason = "tests build projects and run programs")]
#![expect(clippy::disallowed_macros, reason = "a test says when it is skipped")]

#[cfg(unix)]
mod action;
mod advice;
mod assemble;
mod audit;
mod bad_input;
mod beginnings;
mod book;
mod cache;
mod catalog;
mod commands;
mod completions;
mod conversation;
mod corners;
mod determinism;
mod directives;
mod encoder;
mod exchange;
mod explain;
#[cfg(unix)]
mod fleet;
mod follow;
mod formats;
mod graph;
mod guard;
mod hidden;
mod hook;
mod hostile;
mod house;
mod http;
mod lsp;
mod material;
mod memory;
mod names;
mod oidc;
mod overlay_mistakes;
mod overlays;
mod packs;
mod packtest;
mod passages;
mod pelican;
#[cfg(unix)]
mod permissions;
mod picture;
mod pipes;
mod project;
mod rot;
mod rules;
mod search;
mod secrets;
mod selection;
mod semantic;
mod serve;
mod server;
mod stats;
#[cfg(feature = "store")]
mod store;
mod suggest;
mod summarizer;
mod torture;
mod trial;
mod tune;
mod validate;
mod version;
mod watch;
mod writing;
