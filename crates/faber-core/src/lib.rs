//! The core of faber, without I/O: parses contexts, resolves their layers, selects what a request
//! needs, packs it into a token budget and renders the bundle.
//!
//! Files come from a [`World`](world::World), everything else from [`Options`](workspace::Options)
//! and [`Job`](assemble::Job).
//!
//! # Example
//!
//! ```
//! use faber_core::assemble::Job;
//! use faber_core::config::Amount;
//! use faber_core::select::request::Request;
//! use faber_core::workspace::{Options, Workspace};
//! use faber_core::world::MemoryWorld;
//!
//! let world = MemoryWorld::new([
//!     ("roles/writer/prompt.md", "You write release notes.\n"),
//!     (
//!         "contexts/standards/standards-style.md",
//!         "---\nkeywords: [style, wording]\n---\n# Style\n\nWrite short sentences.\n",
//!     ),
//!     (
//!         "contexts/playbooks/playbook-rollback.md",
//!         "---\nkeywords: [rollback]\n---\n# Rollback\n\nDeploy the last good tag.\n",
//!     ),
//! ]);
//! let mut workspace = Workspace::open(world, Options::on("2026-01-15".parse().unwrap()));
//! let mut job = Job::new(Request::new("Improve the wording of these notes"));
//! job.budget = Some(Amount::Tokens(2_000));
//! let assembly = workspace.assemble(job, None)?;
//!
//! let loaded: Vec<String> = assembly.bundle.loaded.iter().map(|it| it.id.to_string()).collect();
//! assert_eq!(loaded, ["standard/style"]);
//! let text = assembly.bundle.text();
//! assert!(text.contains("Write short sentences."));
//! assert_eq!(workspace.findings(), []);
//! # Ok::<(), faber_core::error::Error>(())
//! ```
//!
//! Open a workspace again for the next request; with shared
//! [`TextCaches`](workspace::caches::TextCaches) that is cheap.
//!
//! Single steps are [`Workspace::resolve`](workspace::Workspace::resolve) and
//! [`ResolvedPack::select`](assemble::ResolvedPack::select).

mod ascii;
pub mod assemble;
pub mod budget;
pub mod category;
mod chars;
pub mod config;
pub mod context_id;
pub mod conversation;
pub mod decision;
pub mod diagnostic;
pub mod digest_map;
pub mod document;
pub mod error;
pub mod escape;
pub mod file_text;
pub mod findings;
pub mod folder_access;
pub mod layer;
pub mod letters;
pub mod line;
pub mod markdown;
pub mod meaning;
mod named;
pub mod not_utf8;
pub mod numbers;
pub mod packs;
pub mod parse;
pub mod paths;
pub mod prompt;
pub mod readable;
pub mod render;
pub mod resolve;
pub mod role;
pub mod rule;
pub mod rules;
pub mod secret;
pub mod security;
pub mod select;
pub mod source;
pub mod strategy;
pub mod suggest;
pub mod terms;
pub mod tokens;
mod unseen;
mod word_list;
pub mod workspace;
pub mod world;
pub mod yaml;
