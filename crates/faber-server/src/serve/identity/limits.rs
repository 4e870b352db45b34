//! Rate limits by token buckets.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::Duration;

use crate::locked;

/// If more are in use, all are reset to full.
const MAX_BUCKETS: usize = 8_192;

pub(super) struct RateLimit<K> {
    capacity: f64,
    per_second: f64,
    buckets: Mutex<BTreeMap<K, Bucket>>,
}

struct Bucket {
    left: f64,
    at: Duration,
}

impl<K: Clone + Ord> RateLimit<K> {
    pub(super) fn per_minute(amount: u32) -> Self {
        let capacity = f64::from(amount);
        Self { capacity, per_second: capacity / 60.0, buckets: Mutex::default() }
    }

    fn left(&self, bucket: &Bucket, now: Duration) -> f64 {
        let since = now.saturating_sub(bucket.at).as_secs_f64();
        (bucket.left + since * self.per_second).min(self.capacity)
    }

    pub(super) fn take(&self, key: &K, amount: f64, now: Duration) -> Result<(), f64> {
        let mut buckets = locked(&self.buckets);
        if !buckets.contains_key(key) {
            let is_used = |bucket: &Bucket| self.left(bucket, now) < self.capacity;
            make_room(&mut buckets, MAX_BUCKETS, is_used);
        }
        let bucket = buckets.entry(key.clone()).or_insert(Bucket { left: self.capacity, at: now });
        let left = self.left(bucket, now);
        if left < amount.min(self.capacity) {
            return Err((amount.min(self.capacity) - left) / self.per_second);
        }
        *bucket = Bucket { left: left - amount, at: now };
        Ok(())
    }

    pub(super) fn put_back(&self, key: &K, amount: f64) {
        if let Some(bucket) = locked(&self.buckets).get_mut(key) {
            bucket.left += amount;
        }
    }
}

pub(super) fn make_room<K: Ord, V>(
    entries: &mut BTreeMap<K, V>,
    max: usize,
    keeps: impl Fn(&V) -> bool,
) {
    if entries.len() >= max {
        entries.retain(|_, entry| keeps(entry));
        if entries.len() >= max {
            entries.clear();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_fills_evenly() {
        let limit = RateLimit::per_minute(6);
        let take = |second: u64| limit.take(&"a", 1.0, Duration::from_secs(second));
        assert!((0..6).all(|_| take(0).is_ok()));
        let wait = take(0).unwrap_err();
        assert!((9.9..10.1).contains(&wait), "{wait}");
        assert!(take(9).is_err() && take(11).is_ok() && take(11).is_err());
        assert!(limit.take(&"b", 6.0, Duration::from_secs(11)).is_ok(), "another client");
        limit.put_back(&"b", 1.0);
        assert!(limit.take(&"b", 1.0, Duration::from_secs(11)).is_ok());
        assert!((0..6).all(|_| take(10_000).is_ok()) && take(10_000).is_err());
    }

    #[test]
    fn what_is_larger_than_a_bucket_takes_all_of_it() {
        let limit = RateLimit::per_minute(60);
        assert!(limit.take(&"a", 100.0, Duration::ZERO).is_ok());
        assert!(limit.take(&"a", 1.0, Duration::from_secs(40)).is_err());
        assert!(limit.take(&"a", 1.0, Duration::from_secs(42)).is_ok());
    }

    #[test]
    fn buckets_are_few() {
        let limit = RateLimit::per_minute(60);
        for key in 0..3 * MAX_BUCKETS {
            assert!(limit.take(&key, 1.0, Duration::ZERO).is_ok());
        }
        assert!(locked(&limit.buckets).len() <= MAX_BUCKETS);
    }
}
