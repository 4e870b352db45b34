//! What an agent is given at an event of its client: a session starts, a person writes a prompt, a tool
//! touches a file or fails.
//!
//! [`deliver::deliver`] goes from an [`event::HookEvent`] and what the conversation has to a
//! [`deliver::Delivery`]; `fit` keeps it within the limits of the client, `loaded` knows what the client
//! loads by itself. How clients write events and answers is not known here.

pub mod deliver;
pub mod event;
pub(crate) mod fit;
pub(crate) mod loaded;
