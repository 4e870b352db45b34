//! State that principals never share.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};

use tokio::sync::Semaphore;

use crate::locked;
use crate::serve::mcp::Caller;
use crate::serve::state::ServerState;
use faber_core::resolve::view::Principal;

/// A further principal evicts the least recently used.
const MAX_TENANTS: usize = 64;
/// Concurrent calls, so that others get a turn.
const TURNS_EACH: usize = 1;
const MAX_CONNECTIONS_EACH: usize = 32;

type TenantKey = (Option<String>, BTreeSet<String>);

pub(super) struct Tenants {
    origin: Arc<ServerState>,
    open: Mutex<Open>,
}

#[derive(Default)]
struct Open {
    tenants: BTreeMap<TenantKey, (Tenant, u64)>,
    uses: u64,
}

#[derive(Clone)]
pub(super) struct Tenant {
    pub(super) caller: Caller,
    pub(super) connections: Arc<Semaphore>,
}

impl Tenants {
    pub(super) fn new(origin: Arc<ServerState>) -> Self {
        Self { origin, open: Mutex::default() }
    }

    pub(super) fn get(&self, principal: &Principal) -> Tenant {
        let key = (principal.user.clone(), principal.groups.clone());
        let mut open = locked(&self.open);
        open.uses += 1;
        let uses = open.uses;
        if let Some((tenant, last)) = open.tenants.get_mut(&key) {
            *last = uses;
            return tenant.clone();
        }
        if open.tenants.len() >= MAX_TENANTS {
            let oldest = open.tenants.iter().min_by_key(|(_, (_, last))| *last);
            let oldest = oldest.map(|(key, _)| key.clone());
            oldest.and_then(|key| open.tenants.remove(&key));
        }
        let state = Arc::new(self.origin.of_principal(principal.clone()));
        let tenant = Tenant {
            caller: Caller { state, turns: Arc::new(Semaphore::new(TURNS_EACH)) },
            connections: Arc::new(Semaphore::new(MAX_CONNECTIONS_EACH)),
        };
        open.tenants.insert(key, (tenant.clone(), uses));
        tenant
    }
}
