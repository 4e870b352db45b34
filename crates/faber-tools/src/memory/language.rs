#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WordKind {
    Negation,
    /// Precedes a value: `is`, `on`, `with`.
    Pivot,
    Use,
    /// Precedes a rejected value: `instead of`.
    Rejection,
    And,
    Reason,
    Filler,
    Content,
}

const NEGATIONS: &str = "aren't|avoid|can't|cannot|didn't|disallowed|doesn't|don't|dont|forbidden|\
    isn't|kein|keine|keinem|keinen|keiner|keines|mustn't|never|nicht|nichts|nie|niemals|no|nobody|\
    none|not|nothing|ohne|prohibited|shouldn't|untersagt|verboten|vermeide|vermeiden|without|won't";
const PIVOTS: &str = "after|against|als|am|are|as|at|auf|aus|be|before|bei|by|durch|from|gegen|per|im|in|is|ist|mit|\
    nach|of|on|sind|to|via|von|vor|with";
const USES: &str = "benutze|benutzen|bevorzuge|bevorzugen|choose|chose|nehmen|nimm|nutze|nutzen|\
    prefer|preferred|prefers|use|used|uses|using|verwende|verwenden|verwendet|wähle|wählen|adopt|\
    adopted|nutzt";
const REASONS: &str = "because|damit|denn|since|weil";
const FILLERS: &str = "need|needs|needed|require|requires|required|braucht|brauchen|a|all|alle|allem|allen|aller|alles|allowed|also|always|an|any|auch|\
    been|being|bitte|can|could|da|das|dass|dem|den|der|des|die|dies|diese|diesem|diesen|dieser|do|\
    does|each|ein|eine|einem|einen|einer|eines|er|erlaubt|es|every|everything|for|from|für|gets|\
    get|got|grundsätzlich|gut|had|hat|haben|has|have|here|hier|i|ich|if|ihr|immer|into|it|its|\
    jede|jedem|jeden|jeder|jedes|just|let's|man|may|must|muss|müssen|dürfen|darf|my|now|oder|only|\
    or|our|ours|please|permitted|shall|should|sie|so|soll|sollen|sollte|some|stets|than|that|the|\
    their|them|then|there|these|they|this|those|times|too|uns|unser|unsere|unserem|unseren|\
    very|was|we|were|werden|when|which|will|wir|wird|would|you|your|zu|zum|zur|it's|that's|we're|\
    we've|i'd|i'm|ist's|mal|beim|vom|ins|ans|where|who|generally|nur";
const GERMAN: &str = "der|die|das|und|ist|sind|wird|werden|nicht|ein|eine|einen|wir|für|mit|auf|zu|im|\
    vor|nach|den|dem|des|von|bei|uns|kein|keine|sich|per|jeder|jede|jedes|muss|darf|braucht|haben|\
    nur|immer|nie|am|zum|zur|aus|vom|auch";
const SAME: &str = "built=build|entfernt=lösch|expire=last|expires=last|expired=last|expiry=last|\
    gehalten=halt|held=hold|kept=keep|keeps=keep|lasts=last|live=last|lives=last|made=make|\
    ran=run|retain=keep|retained=keep|remove=delete|\
    removed=delete|removes=delete|sent=send|stored=store|taken=take|thrown=throw|valid=last|\
    went=go|written=write|wrote=write|chosen=choose|entfernen=lösch|geschrieben=schreib|\
    gespeichert=speicher|speichern=speicher|speichere=speicher|given=give|done=do|\
    postgres=postgresql|läuft=lauf|laufen=lauf|liegt=lieg|steht=steh|stehen=steh";
const NUMBERS: &[(&str, f64)] = &[
    ("one|once|einmal", 1.0),
    ("two|twice|zwei|zweimal", 2.0),
    ("three|drei|dreimal", 3.0),
    ("four|vier", 4.0),
    ("five|fünf", 5.0),
    ("six|sechs", 6.0),
    ("seven|sieben", 7.0),
    ("eight", 8.0),
    ("nine|neun", 9.0),
    ("ten|zehn", 10.0),
    ("eleven", 11.0),
    ("twelve|zwölf", 12.0),
    ("twenty", 20.0),
];
/// With the size in the base unit.
const UNITS: &[(&str, Unit, f64)] = &[
    ("%|percent|prozent", Unit::Share, 1.0),
    ("ms|millisecond|milliseconds", Unit::Time, 0.001),
    ("s|sec|second|seconds|sekunde|sekunden", Unit::Time, 1.0),
    ("m|min|minute|minuten|minutes", Unit::Time, 60.0),
    ("h|hour|hours|stunde|stunden", Unit::Time, 3600.0),
    ("d|day|days|night|nights|nacht|tag|tage|tagen", Unit::Time, DAY),
    ("week|weeks|woche|wochen", Unit::Time, 7.0 * DAY),
    ("month|months|monat|monate|monaten", Unit::Time, 30.0 * DAY),
    ("year|years|jahr|jahre|jahren", Unit::Time, 365.0 * DAY),
    ("b|byte|bytes", Unit::Bytes, 1.0),
    ("kb|kilobyte|kilobytes", Unit::Bytes, 1e3),
    ("mb|megabyte|megabytes", Unit::Bytes, 1e6),
    ("gb|gigabyte|gigabytes", Unit::Bytes, 1e9),
    ("tb", Unit::Bytes, 1e12),
    ("kib", Unit::Bytes, 1024.0),
    ("mib", Unit::Bytes, 1_048_576.0),
    ("gib", Unit::Bytes, 1_073_741_824.0),
];
const DAY: f64 = 86_400.0;
const CLASSES: &[&str] = &[
    "monday|tuesday|wednesday|thursday|friday|saturday|sunday|montag|dienstag|mittwoch|\
     donnerstag|freitag|samstag|sonntag",
    "january|february|march|april|june|july|august|september|october|november|december",
    "space|tab|leerzeichen",
    "utc|local|lokal",
    "english|german|french|spanish|italian|englisch|deutsch|französisch",
    "json|yaml|xml|toml|csv",
    "camelcase|snake|kebab|pascalcase",
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    Share,
    Time,
    Bytes,
}

pub(super) fn kind(word: &str) -> WordKind {
    let is = |words: &str| is_among(word, words);
    match word {
        "and" | "und" => WordKind::And,
        "instead" | "statt" | "anstatt" | "anstelle" | "rather" | "over" => WordKind::Rejection,
        _ if is(NEGATIONS) => WordKind::Negation,
        _ if is(USES) => WordKind::Use,
        _ if is(PIVOTS) => WordKind::Pivot,
        _ if is(REASONS) => WordKind::Reason,
        _ if is(FILLERS) => WordKind::Filler,
        _ => WordKind::Content,
    }
}

pub(super) fn is_among(word: &str, words: &str) -> bool {
    words.split('|').any(|known| known == word)
}

pub(super) fn number(word: &str) -> Option<f64> {
    NUMBERS.iter().find(|(words, _)| is_among(word, words)).map(|(_, number)| *number)
}

pub(super) fn unit(word: &str) -> Option<(Unit, f64)> {
    UNITS.iter().find(|(words, ..)| is_among(word, words)).map(|(_, unit, size)| (*unit, *size))
}

pub(super) fn canonical(word: &str) -> &str {
    let pairs = SAME.split('|').filter_map(|pair| pair.split_once('='));
    pairs.into_iter().find(|(form, _)| *form == word).map_or(word, |(_, same)| same)
}

pub(super) fn exclude(a: &str, b: &str) -> bool {
    let has = |class: &str, stem: &str| {
        class.split('|').any(|value| faber_core::terms::words::stems(value) == [stem])
    };
    a != b && CLASSES.iter().any(|class| has(class, a) && has(class, b))
}

/// `gelöscht` and `lösche` become `lösch`.
pub(super) fn german_stem(word: &str) -> &str {
    const ENDINGS: [&str; 8] = ["ungen", "ung", "ern", "en", "er", "es", "em", "e"];
    let inner = word.strip_prefix("ge").filter(|rest| rest.chars().count() >= 5);
    let participle = inner.and_then(|rest| rest.strip_suffix('t'));
    if let Some(stem) = participle {
        return stem.strip_suffix('e').unwrap_or(stem);
    }
    let long_enough = |stem: &&str| stem.chars().count() >= 4;
    let ending = ENDINGS.iter().find_map(|ending| word.strip_suffix(ending).filter(long_enough));
    ending.or_else(|| word.strip_suffix(['n', 's']).filter(long_enough)).unwrap_or(word)
}

pub(super) fn is_german<'a>(words: impl Iterator<Item = &'a str>) -> bool {
    let (mut german, mut all) = (0_usize, 0_usize);
    for word in words {
        all += 1;
        german += usize::from(is_among(word, GERMAN) || word.contains(['ä', 'ö', 'ü', 'ß']));
    }
    german * 6 >= all.max(1)
}
