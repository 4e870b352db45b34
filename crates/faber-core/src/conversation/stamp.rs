//! Timestamps of messages.

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};
use serde_json::Value;

/// Seconds would be after the year 5000.
const MILLISECONDS: f64 = 1e11;

/// By precedence.
const KEYS: [&str; 4] = ["timestamp", "created_at", "date", "created"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    pub moment: Option<Timestamp>,
    pub day: Date,
}

pub fn of(message: &Value) -> Option<Stamp> {
    let value = KEYS.iter().find_map(|key| message.get(key).filter(|value| !value.is_null()))?;
    match value {
        Value::String(text) => written(text.trim()),
        _ => counted(value.as_f64()?),
    }
}

fn written(text: &str) -> Option<Stamp> {
    let utc = |civil: DateTime| civil.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    let moment = text.parse::<Timestamp>().ok();
    let moment = moment.or_else(|| text.parse::<DateTime>().ok().and_then(utc));
    let day = text.get(..10)?.parse().ok()?;
    Some(Stamp { moment, day })
}

fn counted(number: f64) -> Option<Stamp> {
    let seconds = if number.abs() >= MILLISECONDS { number / 1000.0 } else { number };
    let since = SignedDuration::try_from_secs_f64(seconds).ok()?;
    let moment = Timestamp::from_duration(since).ok()?;
    Some(Stamp { moment: Some(moment), day: moment.to_zoned(TimeZone::UTC).date() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stamp(value: impl Into<Value>) -> Option<Stamp> {
        let value = value.into();
        of(&serde_json::json!({ "timestamp": value }))
    }

    #[test]
    fn moments_in_every_way_of_writing_are_the_same() {
        let second = stamp("2026-01-02T03:04:05Z").unwrap();
        for same in [
            Value::from("2026-01-02T04:04:05+01:00"),
            Value::from("2026-01-02T03:04:05"),
            Value::from(1_767_323_045),
            Value::from(1_767_323_045_000_i64),
        ] {
            assert_eq!(stamp(same), Some(second));
        }
        assert_eq!(second.day, "2026-01-02".parse().unwrap());
        assert_eq!(stamp("2026-01-02").unwrap().day, second.day);
        for none in ["yesterday", "", "9999999999", "2026-13-01T00:00:00Z", "ä".repeat(9).as_str()]
        {
            assert_eq!(stamp(none), None, "{none}");
        }
        assert_eq!(stamp(1e300), None);
    }
}
