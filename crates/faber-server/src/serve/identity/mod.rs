//! Access tokens of an issuer (OAuth 2.1, `OpenID` Connect). Start at [`authorizer`].

pub(crate) mod authorizer;
pub(crate) mod claims;
mod fetch;
pub(crate) mod issuer;
mod keys;
mod limits;
pub(crate) mod network;
mod tenants;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
pub(crate) mod tls;
mod token;
