//! Percent-encoding of resource URIs.

use faber_core::escape::percent_encoded;
use faber_core::markdown::percent_decoded;

pub(crate) fn encoded(text: &str) -> String {
    percent_encoded(text, "-._~/@:")
}

pub(crate) fn decoded(rest: &str) -> Option<String> {
    let is_code = |rest: &str| rest.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2;
    percent_decoded(rest).filter(|_| rest.split('%').skip(1).all(is_code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_back_to_ids() {
        for id in ["standard/a", "@role:clerk/standard/a b", "pattern/größe%20", "x/%", "x/?#"] {
            let address = encoded(id);
            assert!(address.is_ascii() && !address.contains([' ', '?', '#']), "{address}");
            assert_eq!(decoded(&address).as_deref(), Some(id));
        }
        assert_eq!(decoded("%f"), None);
        assert_eq!(decoded("%zz"), None);
        assert_eq!(decoded("%+f"), None);
        assert_eq!(decoded("%ff"), None);
    }
}
