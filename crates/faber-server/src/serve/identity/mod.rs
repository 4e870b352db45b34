//! Who asks a server that several people share: access tokens of an issuer (OAuth 2.1, `OpenID` Connect).
//!
//! [`authorizer`] decides, and is the place to start. A [`token`] is read, its [`claims`] are checked, and
//! its signature is verified with the keys of the [`issuer`]. What the principal then sees is that of its
//! [`tenants`] entry. The author of a request without a good token is its address, [`network`], which
//! [`limits`] apply to.

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
