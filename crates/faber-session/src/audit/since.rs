//! The `--since` option.

use std::str::FromStr;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Since {
    Moment(Timestamp),
    Ago(SignedDuration),
}

impl Since {
    pub fn moment(self, now: Timestamp) -> Timestamp {
        match self {
            Self::Moment(moment) => moment,
            Self::Ago(time) => now
                .checked_sub(time)
                .map_or(Timestamp::UNIX_EPOCH, |moment| moment.max(Timestamp::UNIX_EPOCH)),
        }
    }
}

impl FromStr for Since {
    type Err = String;

    /// A date (UTC), timestamp, or duration in `m`, `h`, `d` or `w`.
    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(moment) = text.parse() {
            return Ok(Self::Moment(moment));
        }
        if text.len() == "2026-01-15".len()
            && let Ok(date) = text.parse::<Date>()
            && let Ok(start) = date.to_zoned(TimeZone::UTC)
        {
            return Ok(Self::Moment(start.timestamp()));
        }
        let time = duration(text).map(Self::Ago);
        time.ok_or_else(|| {
            "write a date such as 2026-01-15, a time such as 2026-01-15T10:00:00Z, or a period such as 12h or 7d"
                .to_owned()
        })
    }
}

fn duration(text: &str) -> Option<SignedDuration> {
    let at = text.len().checked_sub(1).filter(|&at| text.is_char_boundary(at))?;
    let (number, unit) = text.split_at(at);
    let minutes: i64 = match unit {
        "m" => 1,
        "h" => 60,
        "d" => 24 * 60,
        "w" => 7 * 24 * 60,
        _ => return None,
    };
    let number = number.parse::<u32>().ok().filter(|_| !number.starts_with('+'))?;
    Some(SignedDuration::from_secs(i64::from(number) * minutes * 60))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_moments_and_durations_are_read() {
        let now: Timestamp = "2026-01-15T12:00:00Z".parse().unwrap();
        let moment = |text: &str| text.parse::<Since>().map(|since| since.moment(now).to_string());
        for (text, expected) in [
            ("2026-01-02", "2026-01-02T00:00:00Z"),
            ("2026-01-02T03:04:05+01:00", "2026-01-02T02:04:05Z"),
            ("90m", "2026-01-15T10:30:00Z"),
            ("12h", "2026-01-15T00:00:00Z"),
            ("7d", "2026-01-08T12:00:00Z"),
            ("2w", "2026-01-01T12:00:00Z"),
            ("4294967295w", "1970-01-01T00:00:00Z"),
        ] {
            assert_eq!(moment(text).as_deref(), Ok(expected), "{text}");
        }
        for wrong in [
            "",
            "d",
            "7",
            "-7d",
            "+7d",
            "7y",
            "7 d",
            "4294967296w",
            "ü",
            "2026-13-01",
            "2026-01-02T10:00",
        ] {
            assert!(moment(wrong).is_err(), "{wrong}");
        }
    }
}
