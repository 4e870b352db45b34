use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use hyper::Uri;
use hyper::header::{HeaderMap, HeaderName};
use hyper::http::uri::Scheme;

use faber_core::error::Error;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Network {
    base: IpAddr,
    bits: u32,
}

impl Network {
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let read = || {
            let (address, bits) = text.split_once('/').unzip();
            let base: IpAddr = address.unwrap_or(text).parse().ok()?;
            let most = if base.is_ipv4() { 32 } else { 128 };
            let bits = bits.map_or(Some(most), |bits| bits.parse().ok())?;
            (bits <= most).then_some(Self { base, bits })
        };
        read().ok_or_else(|| {
            let message = format!("`{text}` is not the address of a proxy");
            Error::usage(message, "write an address or a range: `10.0.0.7`, `10.0.0.0/24`")
        })
    }

    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        let shared = |a: u128, b: u128, width: u32| {
            let rest = width - self.bits;
            a.checked_shr(rest).unwrap_or(0) == b.checked_shr(rest).unwrap_or(0)
        };
        match (self.base, address.to_canonical()) {
            (IpAddr::V4(a), IpAddr::V4(b)) => shared(a.to_bits().into(), b.to_bits().into(), 32),
            (IpAddr::V6(a), IpAddr::V6(b)) => shared(a.to_bits(), b.to_bits(), 128),
            _ => false,
        }
    }
}

/// Clients can forge addresses before the last one that is not a proxy.
pub(crate) fn client(connection: IpAddr, headers: &HeaderMap, proxies: &[Network]) -> IpAddr {
    let is_proxy = |address: IpAddr| proxies.iter().any(|proxy| proxy.contains(address));
    let named = headers.get_all(FORWARDED_FOR).iter().filter_map(|value| value.to_str().ok());
    let named: Vec<&str> = named.flat_map(|value| value.split(',')).collect();
    let named = named.iter().rev().map_while(|name| read_address(name.trim()));
    let mut last = connection;
    for address in std::iter::once(connection).chain(named) {
        last = address;
        if !is_proxy(address) {
            break;
        }
    }
    last
}

fn read_address(text: &str) -> Option<IpAddr> {
    let with_port = || text.parse().map(|address: SocketAddr| address.ip());
    text.parse().or_else(|_| with_port()).ok()
}

/// An IPv4 address or an IPv6 /64.
pub(crate) fn subscriber(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits(address.to_bits() >> 64 << 64).into(),
        other @ IpAddr::V4(_) => other,
    }
}

fn is_loopback_name(host: &str) -> bool {
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    let is_local = |address: IpAddr| address.to_canonical().is_loopback();
    host.eq_ignore_ascii_case("localhost") || literal.parse().is_ok_and(is_local)
}

/// HTTPS, or HTTP on this machine; no password.
pub(crate) fn is_safe(url: &Uri) -> bool {
    let Some(authority) = url.authority() else { return false };
    let is_local = || url.scheme() == Some(&Scheme::HTTP) && is_loopback_name(authority.host());
    !authority.as_str().contains('@') && (url.scheme() == Some(&Scheme::HTTPS) || is_local())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn a_network_is_a_range_of_addresses() {
        let contains =
            |network: &str, address: &str| Network::parse(network).unwrap().contains(ip(address));
        assert!(contains("10.1.0.0/16", "10.1.2.3") && !contains("10.1.0.0/16", "10.2.0.0"));
        assert!(contains("10.0.0.7", "10.0.0.7") && !contains("10.0.0.7", "10.0.0.8"));
        assert!(contains("10.0.0.7", "::ffff:10.0.0.7") && contains("0.0.0.0/0", "1.2.3.4"));
        assert!(contains("fd00::/8", "fd12::1") && !contains("fd00::/8", "10.0.0.1"));
        assert!(contains("::/0", "fd12::1"));
        for bad in ["", "proxy", "10.0.0.0/33", "10.0.0.0/", "10.0.0/8", "::/129", "10.0.0.1:80"] {
            assert!(Network::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn only_a_proxy_says_where_a_request_comes_from() {
        let proxies = [Network::parse("10.0.0.0/24").unwrap()];
        let from = |connection: &str, named: &[&str]| {
            let mut headers = HeaderMap::new();
            for one in named {
                headers.append(FORWARDED_FOR, one.parse().unwrap());
            }
            client(ip(connection), &headers, &proxies).to_string()
        };
        assert_eq!(from("192.0.2.1", &["198.51.100.7"]), "192.0.2.1");
        assert_eq!(from("10.0.0.2", &[]), "10.0.0.2");
        assert_eq!(from("10.0.0.2", &["203.0.113.9, 198.51.100.7"]), "198.51.100.7");
        assert_eq!(from("10.0.0.2", &["203.0.113.9", "198.51.100.7, 10.0.0.3"]), "198.51.100.7");
        assert_eq!(from("10.0.0.2", &["198.51.100.7:4711"]), "198.51.100.7");
        assert_eq!(from("10.0.0.2", &["198.51.100.7, unknown"]), "10.0.0.2");
    }

    #[test]
    fn limits_are_for_subscribers() {
        assert_eq!(subscriber(ip("2001:db8::1:2:3:4")), ip("2001:db8::"));
        assert_eq!(subscriber(ip("::ffff:192.0.2.1")), ip("192.0.2.1"));
        assert!(is_loopback_name("LOCALHOST") && is_loopback_name("[::1]"));
        assert!(!is_loopback_name("localhost.example") && !is_loopback_name("127.0.0.1.example"));
    }

    #[test]
    fn a_safe_address_is_encrypted_or_of_this_machine() {
        for good in [
            "https://id.example/realms/a",
            "http://localhost:8080/realms/a",
            "http://127.0.0.1:1/",
            "http://[::1]:8080/",
        ] {
            assert!(is_safe(&good.parse().unwrap()), "{good}");
        }
        for bad in [
            "http://id.example/",
            "http://localhost.example/",
            "https://user:word@id.example/",
            "ftp://localhost/",
            "/realms/a",
            "id.example:443",
            "http://10.0.0.1/",
        ] {
            assert!(!is_safe(&bad.parse().unwrap()), "{bad}");
        }
    }
}
