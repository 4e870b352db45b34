use std::collections::BTreeMap;

use jiff::civil::Date;
use miniz_oxide::deflate::core::{
    CompressorOxide, TDEFLFlush, compress, create_comp_flags_from_zip_params,
};
use schemars::JsonSchema;
use serde::Serialize;

use crate::search::item::{DEFAULT_CONFIDENCE, unit};
use faber_core::config::Purpose;

/// Longer samples take too long; equal lengths are comparable.
const SAMPLE: usize = 1024;

/// The components of a utility, each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Components {
    /// Its relevance to the query.
    pub relevance: f64,
    /// Its reliability, by its author.
    pub confidence: f64,
    /// The trust in its owner or layer.
    pub trust: f64,
    /// Its freshness.
    pub recency: f64,
    /// How little it repeats itself.
    pub density: f64,
    /// How little it repeats earlier passages.
    pub novelty: f64,
}

/// In hundredths.
fn weights(purpose: Purpose) -> [u8; 6] {
    match purpose {
        Purpose::Answer => [30, 30, 20, 10, 5, 5],
        Purpose::Verify => [20, 40, 20, 10, 5, 5],
        Purpose::Explore => [20, 10, 10, 10, 10, 40],
        Purpose::Decide => [25, 25, 25, 15, 5, 5],
        Purpose::Create => [20, 10, 10, 5, 15, 40],
    }
}

impl Components {
    fn parts(self) -> [f64; 6] {
        let Self { relevance, confidence, trust, recency, density, novelty } = self;
        [relevance, confidence, trust, recency, density, novelty]
    }

    pub(super) fn map(self, change: impl Fn(f64) -> f64) -> Self {
        let [relevance, confidence, trust, recency, density, novelty] = self.parts().map(change);
        Self { relevance, confidence, trust, recency, density, novelty }
    }

    pub(super) fn weighted(self, purpose: Purpose) -> [(f64, u8); 6] {
        let (parts, weights) = (self.parts(), weights(purpose));
        std::array::from_fn(|at| (parts[at], weights[at]))
    }
}

pub(super) fn utility(components: Components, purpose: Purpose) -> f64 {
    let weighted = components.weighted(purpose);
    weighted.iter().map(|&(component, weight)| component * f64::from(weight)).sum::<f64>() / 100.0
}

/// 0 to 1, by the first name in `access.trust`.
pub(crate) fn trust(names: [Option<&str>; 3], table: &BTreeMap<String, f64>) -> f64 {
    let known = names.into_iter().flatten().find_map(|name| table.get(name));
    known.map_or(DEFAULT_CONFIDENCE, |trust| unit(*trust))
}

/// 0.5 to the power of the age in half-lives.
pub(crate) fn recency(since: Option<Date>, on: Date, half_life_days: u32) -> f64 {
    let Some(since) = since else { return DEFAULT_CONFIDENCE };
    let hours = since.duration_until(on).as_hours();
    let days = i32::try_from(hours / 24).unwrap_or(i32::MAX).max(0);
    0.5_f64.powf(f64::from(days) / f64::from(half_life_days.max(1)))
}

pub(crate) struct DensityEstimator {
    compressor: CompressorOxide,
    output: Box<[u8; SAMPLE * 2]>,
}

impl Default for DensityEstimator {
    fn default() -> Self {
        let flags = create_comp_flags_from_zip_params(1, 0, 0);
        Self { compressor: CompressorOxide::new(flags), output: Box::new([0; SAMPLE * 2]) }
    }
}

impl DensityEstimator {
    /// Compressed share of [`SAMPLE`] bytes, at most 1.
    pub(crate) fn density(&mut self, text: &str) -> f64 {
        let sample = &text.as_bytes()[..text.len().min(SAMPLE)];
        if sample.is_empty() {
            return 0.0;
        }
        self.compressor.reset();
        let output = &mut self.output[..];
        let (_, _, size) = compress(&mut self.compressor, sample, output, TDEFLFlush::Finish);
        #[expect(clippy::cast_precision_loss, reason = "both are a few thousand at most")]
        let density = size as f64 / sample.len() as f64;
        unit(density)
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use crate::search::item::confidence;
    use faber_core::parse::fields::Confidence;

    use super::*;

    fn density(text: &str) -> f64 {
        DensityEstimator::default().density(text)
    }

    fn close(left: f64, right: f64) {
        assert!((left - right).abs() < 1e-9, "{left} is not {right}");
    }

    #[test]
    fn weights_are_whole() {
        for (name, purpose) in Purpose::ALL {
            assert_eq!(weights(purpose).iter().sum::<u8>(), 100, "{name}");
        }
    }

    #[test]
    fn utility_is_the_weighted_sum() {
        let components = Components {
            relevance: 0.9,
            confidence: 0.8,
            trust: 0.5,
            recency: 0.25,
            density: 0.6,
            novelty: 1.0,
        };
        close(utility(components, Purpose::Answer), 0.27 + 0.24 + 0.1 + 0.025 + 0.03 + 0.05);
        close(utility(components, Purpose::Create), 0.18 + 0.08 + 0.05 + 0.0125 + 0.09 + 0.4);
        for (_, purpose) in Purpose::ALL {
            close(utility(Components::default(), purpose), 0.0);
        }
    }

    #[test]
    fn confidence_of_components_is_their_geometric_mean() {
        let parts = |parts: &[(&str, f64)]| {
            let parts = parts.iter().map(|(name, part)| ((*name).to_owned(), *part)).collect();
            confidence(Some(&Confidence::Components(parts)))
        };
        close(parts(&[("method", 0.9), ("source", 0.4)]), 0.6);
        close(parts(&[("method", 0.9), ("source", 0.0)]), 0.0);
        close(parts(&[]), 0.5);
        close(confidence(None), 0.5);
        close(confidence(Some(&Confidence::Overall(0.7))), 0.7);
    }

    #[test]
    fn the_owner_is_trusted_before_the_layer() {
        let table = [("alice", 0.9), ("backend", 0.8), ("team", 0.7), ("project", 0.2)];
        let table = table.map(|(name, trust)| (name.to_owned(), trust)).into();
        close(trust([Some("alice"), Some("backend"), Some("team")], &table), 0.9);
        close(trust([Some("bob"), Some("backend"), Some("team")], &table), 0.8);
        close(trust([None, Some("frontend"), Some("team")], &table), 0.7);
        close(trust([None, None, Some("project")], &table), 0.2);
        close(trust([Some("bob"), None, Some("user")], &table), 0.5);
        close(trust([None; 3], &BTreeMap::new()), 0.5);
    }

    #[test]
    fn older_texts_are_less_fresh() {
        let on = date(2026, 6, 30);
        close(recency(Some(on), on, 180), 1.0);
        close(recency(Some(date(2026, 1, 1)), on, 180), 0.5);
        close(recency(Some(date(2026, 1, 1)), on, 90), 0.25);
        close(recency(Some(date(2030, 1, 1)), on, 180), 1.0);
        close(recency(None, on, 180), 0.5);
        close(recency(Some(Date::MIN), Date::MAX, 0), 0.0);
        close(recency(Some(Date::MAX), Date::MIN, 1), 1.0);
    }

    #[test]
    fn repetitive_texts_are_less_dense() {
        let mut gauge = DensityEstimator::default();
        let varied = "Tokens expire after an hour; refresh them in the gateway, never in a page.";
        let dull = "wait and see ".repeat(80);
        assert!(gauge.density(&dull) < 0.1 && gauge.density(varied) > 0.8);
        close(gauge.density(varied), density(varied));
        close(density(""), 0.0);
        let noise: String =
            (1..1000u32).map(|n| char::from_u32(n * n * n % 0xd7ff).unwrap()).collect();
        assert!((0.0..=1.0).contains(&density(&noise)));
        assert!(density(&format!("x{}", "ü".repeat(2000))) < 0.1);
    }
}
