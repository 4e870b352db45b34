//! Announces changes.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use blake3::{Hash, Hasher};
use rmcp::RoleServer;
use rmcp::model::{
    PromptListChangedNotification, ResourceListChangedNotification, ResourceUpdatedNotification,
    ResourceUpdatedNotificationParam, ServerNotification, SubscriptionFilter,
};
use rmcp::service::{Peer, SubscriptionSink};

use crate::locked;
use crate::serve::state::ServerState;
use crate::serve::{prompts, resources, skills};
use faber_core::error::Error;

const PAUSE: Duration = Duration::from_secs(2);
const MAX_RESOURCES: usize = 100;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum ChangeTopic {
    Prompts,
    Resources,
    Resource(String),
}

impl ChangeTopic {
    pub(crate) fn hash(&self, state: &ServerState) -> Result<Hash, Error> {
        match self {
            Self::Prompts => prompts::list(state).map(|roles| {
                hash_of(roles.iter().flat_map(|role| {
                    [role.name.as_str(), role.description.as_deref().unwrap_or_default()]
                }))
            }),
            Self::Resources => resources::names(state)
                .map(|all| hash_of(all.iter().flat_map(|(id, title)| [id.as_str(), title]))),
            Self::Resource(uri) if uri.starts_with(skills::PREFIX) => {
                skills::read(state, uri).map(|read| blake3::hash(&read.file.bytes))
            }
            Self::Resource(uri) => {
                resources::read(state, uri).map(|read| blake3::hash(read.text.as_bytes()))
            }
        }
    }

    fn notification(&self) -> ServerNotification {
        match self {
            Self::Prompts => PromptListChangedNotification::default().into(),
            Self::Resources => ResourceListChangedNotification::default().into(),
            Self::Resource(uri) => {
                let updated = ResourceUpdatedNotificationParam::new(uri.as_str());
                ResourceUpdatedNotification::new(updated).into()
            }
        }
    }
}

fn hash_of<'a>(texts: impl Iterator<Item = &'a str>) -> Hash {
    let mut hasher = Hasher::new();
    for text in texts {
        hasher.update(&(text.len() as u64).to_le_bytes()).update(text.as_bytes());
    }
    hasher.finalize()
}

#[derive(Clone, Default)]
pub(crate) struct KnownTopics(Arc<Mutex<BTreeMap<ChangeTopic, Option<Hash>>>>);

impl KnownTopics {
    pub(crate) fn add(&self, topic: ChangeTopic, hash: Option<Hash>) -> Result<(), Error> {
        let mut topics = locked(&self.0);
        let is_resource = |topic: &ChangeTopic| matches!(topic, ChangeTopic::Resource(_));
        let is_new = is_resource(&topic) && !topics.contains_key(&topic);
        if is_new && topics.keys().filter(|topic| is_resource(topic)).count() >= MAX_RESOURCES {
            let message = format!("more than {MAX_RESOURCES} subscriptions");
            return Err(Error::usage(message, "end another one first"));
        }
        topics.insert(topic, hash);
        Ok(())
    }

    pub(crate) fn remove(&self, topic: &ChangeTopic) {
        locked(&self.0).remove(topic);
    }

    pub(crate) fn take_changed(&self, state: &ServerState) -> Vec<ChangeTopic> {
        let known = locked(&self.0).clone();
        let has_changed = |(topic, before): (ChangeTopic, Option<Hash>)| {
            let now = match topic.hash(state) {
                Ok(now) => Some(now),
                Err(Error::Unknown { .. }) => None,
                Err(_) => return None,
            };
            if now == before {
                return None;
            }
            *locked(&self.0).get_mut(&topic)? = now;
            Some(topic)
        };
        known.into_iter().filter_map(has_changed).collect()
    }
}

pub(crate) enum ChangeSink {
    Session(Peer<RoleServer>),
    /// Protocol 2026-07-28 and later.
    Subscription(SubscriptionSink),
}

impl ChangeSink {
    pub(crate) async fn send(&self, topic: &ChangeTopic) -> bool {
        let notification = topic.notification();
        match self {
            Self::Session(peer) => peer.send_notification(notification).await.is_ok(),
            Self::Subscription(sink) => sink.send(notification).await.is_ok(),
        }
    }

    pub(crate) async fn wait(&self, state: &ServerState, hints: &mut u64) -> bool {
        loop {
            tokio::time::sleep(PAUSE).await;
            if matches!(self, Self::Session(peer) if peer.is_transport_closed()) {
                return false;
            }
            let now = state.hints();
            if now != *hints {
                *hints = now;
                return true;
            }
        }
    }
}

pub(crate) fn accepted(requested: &SubscriptionFilter) -> SubscriptionFilter {
    let mut accepted = requested.clone();
    if let Some(uris) = &mut accepted.resource_subscriptions {
        uris.truncate(MAX_RESOURCES);
    }
    accepted
}

pub(crate) fn topics(filter: &SubscriptionFilter) -> Vec<ChangeTopic> {
    let lists = [
        (filter.prompts_list_changed, ChangeTopic::Prompts),
        (filter.resources_list_changed, ChangeTopic::Resources),
    ];
    let lists = lists.into_iter().filter(|(is_wanted, _)| *is_wanted == Some(true));
    let uris = filter.resource_subscriptions.iter().flatten();
    let uris = uris.map(|uri| ChangeTopic::Resource(uri.clone()));
    lists.map(|(_, topic)| topic).chain(uris).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_resources_are_limited() {
        let known = KnownTopics::default();
        let topic = |at| ChangeTopic::Resource(format!("faber://context/{at}"));
        for at in 0..MAX_RESOURCES {
            known.add(topic(at), None).unwrap();
        }
        assert!(known.add(topic(MAX_RESOURCES), None).is_err());
        for again in [topic(0), ChangeTopic::Prompts, ChangeTopic::Resources] {
            known.add(again, None).unwrap();
        }
    }
}
