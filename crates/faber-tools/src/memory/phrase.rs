use super::language::is_among;
use super::phrases::NoteKind;

const QUOTED: usize = 3;

pub(super) mod words {
    pub(crate) const ACCEPT: &str = "yes|yep|yeah|agreed|sounds good|good idea|perfect|great|let's do that|let's go with|\
        go with that|do it that way|ok, let's do|okay, let's do|deal|i agree|works for me|ja|einverstanden|klingt gut|\
        gute idee|machen wir so|so machen wir|passt|genau|abgemacht";
    pub(crate) const DOUBT: &str = " but|aber| not |n't|nicht";
    pub(crate) const ASKS: &str = "how should|how do we|how shall|what should|which |what convention|how will we|wie sollen|\
        wie sollten|wie machen wir|welche|was schlägst du|wie nennen wir";
    pub(crate) const PROPOSES: &str = "i suggest|i'd suggest|i propose|i'd propose|my proposal|my suggestion|i recommend|\
        i'd recommend|recommendation|proposal|suggestion|we should|let's|ich schlage vor|mein vorschlag|vorschlag|\
        ich empfehle|wir sollten";
    pub(crate) const CONNECTORS: &str = "and|but|also|so|ok|okay|right|well|oh|please|btw|then|yes|und|aber|bitte|ja|gut|ach|\
        hm|hmm";
    pub(crate) const QUESTIONS: &str = "why|how|what|who|where|which|does|did|is|are|can|could|should|shall|would|warum|\
        wieso|wie|was|wer|wo|welche|soll|sollen|kann|können";
    pub(crate) const IF: &str = "if we|if i|wenn wir|wenn ich|falls wir|what if|let's say|say we";
    pub(crate) const MAYBE: &str = "suppose|supposing|imagine|what if|hypothetically|assume|assuming|would be|could we|\
        should we|angenommen|stell dir vor|was wäre|wäre|würde|würden|maybe|perhaps|might|vielleicht|i wonder|\
        not sure|thinking about|considering|probably|at some point|wahrscheinlich|irgendwann|i think|i guess|i believe|\
        glaube ich|denke ich|ich glaube|ich denke";
    pub(crate) const FOR_NOW: &str = "for now|this time|just now|temporarily|for the moment|today|yet|before you finish|\
        this request|this once|vorerst|erstmal|diesmal|heute|gerade|jetzt gerade|bis morgen|for today";
    pub(crate) const NEXT: &str = "now|next|jetzt|dann|als nächstes";
    pub(crate) const LASTING: &str = "from now on|from here on|going forward|as of now|as of today|starting now|\
        starting with release|starting with version|starting with the next|as of release|as of version|effective immediately|\
        ab sofort|ab jetzt|ab heute|ab version|ab release|ab der nächsten|ab dem nächsten|künftig|zukünftig|von nun an";
    pub(crate) const ANNOUNCES_FACT: &str = "heads up|just so you know|remember|note|reminder|keep in mind|fyi|merk dir|merke dir|notiz|\
        zur erinnerung|for future reference|for the record|update|news";
    pub(crate) const SAYS: &str = "says|said|wrote|writes|prints|reports|shows|complains|sagt|sagte|schreibt|schrieb|\
        meldet|meint|steht";
    pub(crate) const ANNOUNCES: &str = "voted|decision|decided|agreed|rule|convention|policy|regel|beschluss|entscheidung|\
        beschlossen|abgestimmt|gilt|einig|vereinbart|vereinbarung|settled";
    pub(crate) const REMEMBER: &str = "remember that|keep in mind|note that|for the record|for future reference|\
        don't forget that|be aware that|bear in mind|merk dir|merke dir|vergiss nicht dass|zur erinnerung|beachte dass|\
        denk daran dass|denke daran dass|denk bitte daran dass|just so you know|heads up|zur info|\
        zur information|nur damit du es weißt|fyi";
    pub(crate) const REPORTS: &str = "keeps saying|keep saying|claims|claim|complains|complain|supposedly|angeblich|\
        behauptet|behaupten";
    pub(crate) const NOT_REMEMBER: &str =
        "i remember|i don't remember|can't remember|do you remember";
    pub(crate) const WE: &str =
        "we|we've|we're|we'll|the team|everyone|i've|our team|management|leadership";
    pub(crate) const DECIDED: &str = "decided|agreed|settled on|chose|chosen|voted for|standardized on|standardised on|\
        committed to|switched|switching|moved|moving|migrated|migrating|adopted|going with|go with|went with|picked|\
        opted for|landed on|sticking with|stick with|dropping|dropped|retiring|deprecating|phasing out";
    pub(crate) const MOVES: &str = "moved|moving|switched|switching|migrated|migrating";
    pub(crate) const HABEN: &str = "wir|hat|haben|ist|sind|wurde|wurden|das team";
    pub(crate) const BESCHLOSSEN: &str = "beschlossen|entschieden|geeinigt|festgelegt|vereinbart|umgestellt|abgestimmt|\
        verständigt";
    pub(crate) const OPEN: &str =
        "not decided|haven't decided|not decide|yet|noch nicht|nicht entschieden|undecided";
    pub(crate) const STATES: &str = "the decision is|the decision was|it was decided|the rule is|our policy is|\
        our convention is|the convention is|the policy is|our rule is|our standard is|the standard is|\
        the convention here is|company policy|by convention|as agreed|as decided|wie vereinbart|wie beschlossen|\
        let's adopt|let's agree on|let's standardize|let's standardise|let's make it a rule|let's stick|wir bleiben bei";
    pub(crate) const LETS: &str = "let's go with|let's use|let's switch to|let's move to|let's take|let's settle on|\
        we're going to use|we are going to use|we will use|we'll use|we'll go with|we'll switch to|we will switch to|\
        lass uns|lasst uns|nehmen wir|wir nehmen";
    pub(crate) const AGREED: &str = "decided to|decided that|decided on|agreed to|agreed on|agreed that|voted for|signed off on|\
        approved the move|approved the switch|approved the migration|approved the use";
    pub(crate) const PURPOSE: &str = "for|as|für|als|everywhere|überall";
    pub(crate) const NO_NAME: &str =
        "a|an|the|this|that|it|one|option|these|those|both|ein|eine|einen|das|den|die|es|mal";
    pub(crate) const NO_LONGER: &str = "we no longer use|we no longer support|we don't use|we stopped using|\
        wir verwenden kein|wir verwenden keine|wir nutzen kein|wir nutzen keine";
    pub(crate) const WRONG: &str = "that's wrong|that is wrong|that's not right|that's not correct|that's incorrect|\
        that's outdated|not quite|not exactly|nicht ganz|das ist falsch|das stimmt nicht|das ist veraltet";
    pub(crate) const FACTS: &str = "lives in|belongs to|runs on|is called|are called|has its own|have their own|is owned by|\
        heißt|liegt in|läuft auf|läuft in|gehört zu|gehört zum|gehört zur|hat ein eigenes|hat einen eigenen|hat eine eigene";
    pub(crate) const DENIES: &str = "no|nope|not|nein|nicht|nee|wrong|falsch|actually|please don't";
    pub(crate) const DIRECTS: &str = "use|take|choose|put|name|call it|write|we use|it's called|make it|nimm|nutze|verwende|\
        benutze|schreib|wir nutzen|wir verwenden|nehmen wir";
    pub(crate) const SWAPS: &str = "instead of|rather than|statt|anstatt|anstelle von";
    pub(crate) const SWAPPING: &str = "use|verwende|nutze|nimm|prefer";
    pub(crate) const WE_USE: &str = "we use|wir nutzen|wir verwenden";
    pub(crate) const PREFERS: &str = "i prefer|i'd prefer|i would prefer|i'd rather|i would rather|we prefer|we'd rather|\
        my preference is|our preference is|ich bevorzuge|mir ist lieber|ist mir lieber|ich hätte lieber|wir bevorzugen|\
        ich möchte lieber|mir ist es lieber|es ist mir lieber|mir wäre lieber|mir wäre es lieber|es wäre mir lieber";
    pub(crate) const LIKES: &str = "i like|i find|ich mag|mir gefällt|mir gefallen|ich finde";
    pub(crate) const BETTER: &str =
        "better|better than|besser|besser als|lieber|lieber als|more than|mehr als";
    pub(crate) const YOUR: &str = "your|deine|deinen";
    pub(crate) const WRITINGS: &str = "answers|replies|responses|summaries|explanations|messages|reports|commits|comments|\
        antworten|erklärungen|zusammenfassungen|nachrichten|berichte|kommentare|kommentaren";
    pub(crate) const SHAPES: &str = "keep|make|write|give|format|start|begin|end|limit|don't|halte|halt|schreib|schreibe|\
        formuliere|fasse|begründe|beginne|beende";
    pub(crate) const ANSWERS: &str = "answer|reply|respond|antworte";
    pub(crate) const MANNERS: &str = "in|with|me|only|briefly|auf|in|mit|mir|nur|kurz|bitte";
    pub(crate) const DISLIKES: &str = "i don't like|i hate|i dislike|ich mag keine|ich mag nicht";
    pub(crate) const ALWAYS: &str =
        "always|never|immer|nie|niemals|stets|grundsätzlich|ausnahmslos|ausschließlich";
    pub(crate) const NEVER: &str = "never|not|don't|mustn't|nie|niemals|nicht|no|kein|keine";
    pub(crate) const NOT_ALWAYS: &str = "not|n't|doesn't|don't|nicht|noch|almost|as|fast|wie";
    pub(crate) const NO_RULE: &str = "the|a|an|been|had|has|have|was|were|mind|again|so|too|this|that|it|works|worked|fails|\
        failed|happens|happened|wenn|noch|wieder|mehr|der|die|das|got|seen|understood|ending|returns|initialised|\
        initialized|called|came|saw|knew|ran|crashes|breaks|hangs|dies";
    pub(crate) const OWN: &str = "i|ich|es hat|hat noch";
    pub(crate) const OTHERS: &str =
        "it|it's|he|she|ihr|some|many|most|few|people|manche|einige|viele|leute";
    pub(crate) const PAST: &str =
        "has never|have never|had never|was always|were always|used to|was never|were never";
    pub(crate) const ONE: &str =
        "i|you|it|this|that|there|we|he|she|they|ich|du|es|das|wir|dies|sie";
    pub(crate) const MUST: &str = "must|must not|mustn't|is not allowed|are not allowed|is forbidden|are forbidden|\
        is required|are required|is mandatory|are mandatory|is banned|are banned|is off-limits|are off-limits|müssen|\
        dürfen nicht|darf nicht|dürfen niemals|darf niemals|muss|ist verboten|ist pflicht|sind pflicht|sind verboten|\
        sind tabu|ist tabu|has to be|have to be|needs to be|need to be|not permitted|may only|only allowed";
    pub(crate) const AT_HAND: &str =
        "that one|in that|this|these|diese|dieser|diesem|diesen|dieses";
    pub(crate) const OF_WORK: &str = "this repo|this repository|this project|this codebase|this team|this company|\
        this workspace|this organization|these repositories|diesem repo|diesem repository|diesem projekt|dieses projekt|\
        diesem team";
    pub(crate) const DISREGARDS: &str = "ignore|ignores|disregard|bypass|override|circumvent|forget|ignoriere|ignorieren|\
        ignorierst|missachte|missachten|umgehe|umgehen|vergiss|never report|don't report|do not report|never mention|\
        don't mention|do not mention";
    pub(crate) const GUARDS: &str = "policy|policies|rules|instructions|guidelines|guardrails|restrictions|safeguards|\
        prompt|security|richtlinie|richtlinien|regeln|sicherheitsregeln|anweisungen|vorgaben|sicherheit";
    pub(crate) const YOU_MAY: &str = "you may only|you are only allowed|you must not|you may not|du darfst nur|\
        du darfst nicht|du darfst kein|du darfst keine|du darfst keinen";
    pub(crate) const SCREEN: &str = "button|buttons|dialog|row|rows|column|columns|header|footer|icon|icons|label|labels|\
        color|colour|font|modal|tooltip|checkbox|dropdown|menu|sidebar|knopf|knöpfe|schaltfläche|schaltflächen|\
        titel|überschrift|spalte|spalten|zeile|zeilen|farbe|schrift|abstand|menü";
    pub(crate) const MAY: &str = "darf|dürfen";
    pub(crate) const LIMITED: &str = "kein|keine|keinen|keinem|keiner|nicht|nie|niemals|nur";
    pub(crate) const EVERYTHING: &str =
        "every|each|all|any|anything|everything|everyone|jede|jeder|jedes|alle|alles";
    pub(crate) const DUTIES: &str = "has|have|needs|need|gets|get|should|must|requires|require|is required|goes|go|braucht|\
        brauchen|bekommt|hat|haben|soll|sollen";
    pub(crate) const NOTHING: &str = "nothing|no|nobody|no one|nichts|kein|keine|niemand";
    pub(crate) const WITHOUT: &str = "without|ohne";
    pub(crate) const OTHERWISE: &str = " otherwise | or else | sonst ";
    pub(crate) const STATUS: &str = "failed|passed|broken|crashed|already|schon|bereits|pass|passes|green|works|work|compile|\
        fail|fails";
    pub(crate) const HABITS: &str = "we use|we don't use|we don't|we write|we name|we keep|we store|we only|we deploy|we test|\
        we log|wir nutzen|wir verwenden|wir schreiben|schreiben wir|nutzen wir|verwenden wir|bei uns|our|unsere";
    pub(crate) const EVERYWHERE: &str = "all|every|everywhere|by default|in this repository|in this repo|in this project|\
        only|here|around here|überall|alle|allen|jedem|in diesem projekt|standard|nur|hier";
    pub(crate) const HERE: &str = "here|around here|in this repo|in this repository|in this project|in this codebase|\
        bei uns|in diesem projekt";
    pub(crate) const CUSTOMS: &str = "follow|follows|start with|end with|are named|are called|are written|are kept|\
        is named|is called|is written|heißen|folgen|kommen|gehören|stehen";
    pub(crate) const STANDING: &str = "ask me before|ask before|check with me before|make it a habit|whenever you|\
        every time you|each time you|jedes mal wenn du|frag mich vor|frag vorher";
    pub(crate) const MAKE_SURE: &str =
        "make sure|ensure|be sure|achte darauf|stell sicher|stelle sicher";
    pub(crate) const DONT: &str = "don't|do not|dont";
    pub(crate) const EVER: &str = "ever|again|unless";
    pub(crate) const UNLESS: &str =
        "unless i|unless we|unless you|unless told|außer ich|es sei denn";
    pub(crate) const EXCEPTIONLESS: &str = "no exceptions|without exception|without exceptions|ohne ausnahme|keine ausnahmen|keine ausnahme";
    pub(crate) const TAILS: &str = ", so |, also bitte |, please |, reword |, remove |, change |, fix |, swap |, update |\
        , move |, rename |, adapt |, can you |, could you |, make it |, nimm |, ändere |, verschieb |, entferne |, lösche |\
        , bitte ";
    pub(crate) const LEADS: &str = "please remember that |remember that |keep in mind that |note that |please note that |\
        for the record, |for future reference, |fyi |fyi, |merk dir, dass |merk dir: |merk dir bitte, dass |\
        bitte denk daran, dass |denk daran, dass |right. |ok, |okay, |also, |no, |nein, |quick update: |and |btw |\
        btw, |as agreed, |as decided, |please |that's wrong, |that is wrong, |that's not right, |that's incorrect, |\
        das ist falsch, |das stimmt nicht, ";
}

pub(super) struct Phrase<'a> {
    text: &'a str,
    lower: String,
    words: Vec<String>,
    pub is_question: bool,
}

impl<'a> Phrase<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let lower = text.to_lowercase().replace('’', "'");
        let is_sign = |c: char| !c.is_alphanumeric() && c != '\'';
        let words = lower.split_whitespace().map(|word| word.trim_matches(is_sign).to_owned());
        let words: Vec<String> = words
            .filter(|word| !word.is_empty())
            .skip_while(|word| is_among(word, words::CONNECTORS))
            .collect();
        let is_question = text.trim_end().ends_with('?') || begins_as_question(&words);
        let lower = format!(" {} ", words.join(" "));
        Self { text, lower, words, is_question }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    fn has(&self, phrases: &str) -> bool {
        phrases.split('|').any(|phrase| self.lower.contains(&format!(" {phrase} ")))
    }

    fn has_status(&self) -> bool {
        let mut ends = words::OTHERWISE.split('|').filter_map(|word| self.lower.find(word));
        let head = ends.next().map_or(&*self.lower, |end| &self.lower[..=end]);
        words::STATUS.split('|').any(|word| head.contains(&format!(" {word} ")))
    }

    fn begins(&self, phrases: &str) -> bool {
        phrases.split('|').any(|phrase| self.lower.starts_with(&format!(" {phrase} ")))
    }

    fn first(&self) -> &str {
        self.words.first().map(String::as_str).unwrap_or_default()
    }

    pub(super) fn is_hypothesis(&self) -> bool {
        let is_open = self.has(words::MAYBE) && !self.has(words::PREFERS);
        is_open || self.begins(words::IF) || self.begins(words::MAYBE)
    }

    pub(super) fn is_for_now(&self) -> bool {
        (self.has(words::FOR_NOW) || self.begins(words::NEXT)) && !self.has(words::LASTING)
    }

    pub(super) fn quotes(&self) -> bool {
        let is_source = self.begins("from the|aus der|aus dem|laut|according to");
        (self.has(words::SAYS) || is_source) && !self.has(words::ANNOUNCES)
    }

    pub(super) fn denies(&self) -> bool {
        self.begins(words::WRONG)
    }

    pub(super) fn announces(&self) -> Option<NoteKind> {
        if self.has(words::ANNOUNCES_FACT) {
            return Some(NoteKind::Fact);
        }
        self.has(words::ANNOUNCES).then_some(NoteKind::Decision)
    }

    pub(super) fn kind(&self, corrects: bool) -> Option<NoteKind> {
        if self.is_question || self.is_hypothesis() || self.has(words::REPORTS) {
            return None;
        }
        if self.has(words::REMEMBER) && !self.has(words::NOT_REMEMBER) {
            return Some(NoteKind::Fact);
        }
        if self.decides() {
            return Some(NoteKind::Decision);
        }
        if self.corrects(corrects) {
            return Some(NoteKind::Correction);
        }
        if self.prefers() {
            return Some(NoteKind::Preference);
        }
        let rules = self.is_always() || self.is_duty() || self.is_habit() || self.is_standing();
        rules.then_some(NoteKind::Rule)
    }

    fn decides(&self) -> bool {
        let decided = self.has(words::WE)
            && self.has(words::DECIDED)
            && (!self.has(words::MOVES) || self.has("to"));
        let beschlossen = self.has(words::HABEN) && self.has(words::BESCHLOSSEN);
        let states = self.has(words::STATES) || self.has(words::LASTING) || self.settles();
        let agreed = self.has(words::AGREED) && !self.begins(words::ONE);
        let from_then = self.begins("ab") && self.has("gilt|gelten");
        let moves = self.begins("wir stellen|wir steigen")
            && self.words.last().is_some_and(|word| word == "um");
        let others = agreed || from_then || moves || self.begins(words::NO_LONGER);
        !self.has(words::OPEN) && (states || decided || beschlossen || others)
    }

    /// "let's use X for Y", if X is a name.
    fn settles(&self) -> bool {
        let mut lets = words::LETS.split('|').filter_map(|lets| {
            let rest = self.lower.strip_prefix(&format!(" {lets} "))?;
            rest.split(' ').next()
        });
        lets.next().is_some_and(|next| !is_among(next, words::NO_NAME))
            && self.has(words::PURPOSE)
            && !self.has("that|it")
            && !self.is_at_hand()
    }

    fn is_at_hand(&self) -> bool {
        self.has(words::AT_HAND) && !self.has(words::OF_WORK)
    }

    pub(super) fn disregards(&self) -> bool {
        let verb = words::DISREGARDS
            .split('|')
            .find_map(|verb| self.lower.split_once(&format!(" {verb} ")));
        verb.is_some_and(|(before, rest)| {
            let is_denied = before.split(' ').any(|word| is_among(word, words::NEVER));
            let is_denied = is_denied
                || rest.split(' ').next().is_some_and(|word| is_among(word, words::NEVER));
            !is_denied && rest.split_whitespace().any(|word| is_among(word, words::GUARDS))
        })
    }

    fn corrects(&self, corrects: bool) -> bool {
        if self.has("i always|i never|it never|it always") {
            return false;
        }
        let directs = self.words.iter().any(|word| is_among(word, words::DIRECTS));
        let is_custom = self.has(words::HERE) && !self.has_status();
        let is_fact = self.has(words::FACTS) && !self.has_status() && !self.is_at_hand();
        let rest_states =
            || self.text.split_once(", ").is_some_and(|(_, rest)| Self::new(rest).states());
        let contrasts = || {
            self.has("is|are|ist|sind")
                && [", not ", ", nicht "].iter().any(|not| self.text.contains(not))
                && !self.words.iter().any(|word| is_among(word, words::SCREEN))
                && !self.is_at_hand()
                && rest_states()
        };
        let denied = self.begins(words::DENIES)
            && (directs || is_custom || is_fact || self.has(words::WE_USE) || contrasts());
        let stated = || self.begins(words::WRONG) && rest_states();
        let swapped = self.text.contains(", not ") && self.words.len() <= 6;
        // "use X instead of Y" is a rule.
        let swaps = self.has(words::SWAPS)
            && !words::SWAPS.split('|').any(|swap| {
                let rest = self.lower.split_once(&format!(" {swap} ")).map(|(_, rest)| rest);
                rest.is_some_and(|rest| {
                    is_among(rest.split(' ').next().unwrap_or_default(), words::NO_NAME)
                })
            })
            && !self.is_at_hand()
            && (self.begins(words::SWAPPING) || self.has(words::WE_USE));
        let stops =
            self.first() == "stop" && self.words.get(1).is_some_and(|it| it.ends_with("ing"));
        (corrects && (denied || swapped || stops || stated())) || swaps
    }

    pub(super) fn is_matter(&self) -> bool {
        !self.begins("it|it's|this|that|that's|there|es|das|dies") && !self.has_status()
    }

    pub(super) fn states(&self) -> bool {
        self.words.len() >= QUOTED
            && !is_among(self.first(), words::ONE)
            && !is_among(self.first(), "it's|that's|there's")
            && !self.has_status()
    }

    fn prefers(&self) -> bool {
        let dislikes = self.has(words::DISLIKES) && !self.has("this|that|it|the|das|diese|dieses");
        let likes = self.begins(words::LIKES) && self.has(words::BETTER)
            || self.begins("mir ist|mir sind") && self.has("lieber");
        let mut pairs = self.words.windows(2);
        let is_writing = |word: &str| words::WRITINGS.split('|').any(|end| word.ends_with(end));
        let of_answers = pairs.any(|pair| is_among(&pair[0], words::YOUR) && is_writing(&pair[1]))
            || self.has("your commit messages|your pull requests");
        let shapes = is_among(self.first(), words::SHAPES) && of_answers;
        let second = self.words.get(1).map(String::as_str).unwrap_or_default();
        let answers = is_among(self.first(), words::ANSWERS)
            && is_among(second, words::MANNERS)
            && !self.has("that|the question|die frage");
        self.has(words::PREFERS) || dislikes || (!self.is_at_hand() && (likes || shapes || answers))
    }

    fn is_always(&self) -> bool {
        let Some(at) = self.words.iter().position(|word| is_among(word, words::ALWAYS)) else {
            return false;
        };
        let before = at.checked_sub(1).map(|before| self.words[before].as_str());
        let next = self.words.get(at + 1).map(String::as_str);
        let is_remark = at == 1 && is_among(self.first(), "you|du");
        let is_weak = before.is_some_and(|word| is_among(word, words::NOT_ALWAYS))
            || is_remark
            || next.is_some_and(|word| is_among(word, words::NO_RULE));
        let of_others = self.words[..at].iter().any(|word| is_among(word, words::OTHERS));
        let is_own = of_others
            || self.has(words::OWN)
            || self.begins("this|that|das|dies|there|mir|my|mein|meine");
        !is_weak && !self.has(words::PAST) && !is_own
    }

    fn is_duty(&self) -> bool {
        if self.begins(words::YOU_MAY) {
            return true;
        }
        let is_of_one =
            is_among(self.first(), words::ONE) || self.begins("all of them|all of these");
        if is_of_one || self.has_status() || self.is_at_hand() {
            return false;
        }
        let of_all = self.begins(words::EVERYTHING) && self.has(words::DUTIES);
        let of_none = self.begins(words::NOTHING) && self.has(words::WITHOUT);
        let may_not = self.has(words::MAY) && self.has(words::LIMITED);
        let is_general = self.has(words::EVERYTHING) || self.has(words::ALWAYS);
        let is_one_thing = !is_general
            && self.begins("the|your|der|die|das|dein|deine")
            && !self.has("müssen|dürfen");
        let is_wish = is_one_thing || self.words.iter().any(|word| is_among(word, words::SCREEN));
        (self.has(words::MUST) || may_not || of_all || of_none)
            && (!is_wish || self.has(words::ALWAYS))
    }

    fn is_habit(&self) -> bool {
        let is_custom = self.has(words::HERE) && self.has(words::CUSTOMS);
        if is_custom && !is_among(self.first(), words::DIRECTS) && !self.has_status() {
            return true;
        }
        let is_now = !self.has_status() && !self.begins(words::ONE) || self.begins("we|wir");
        is_now && self.has(words::HABITS) && self.has(words::EVERYWHERE) && !self.has(words::PAST)
    }

    fn is_standing(&self) -> bool {
        let of_all = words::EVERYTHING.split('|').chain(words::ALWAYS.split('|'));
        let sure = self.begins(words::MAKE_SURE)
            && of_all.into_iter().any(|word| self.has(word))
            && !self.has_status();
        let dont = self.begins(words::DONT) && self.has(words::EVER);
        let only = self.first() == "only" && self.has("when|if|after|wenn");
        let avoids = self.first() == "avoid" && !self.has("this|that|the");
        let others = self.begins(words::STANDING)
            || self.has(words::UNLESS)
            || self.has(words::EXCEPTIONLESS);
        sure || dont || only || avoids || others
    }

    pub(super) fn without_lead(&self) -> &'a str {
        let mut text = self.text.trim();
        while let Some(lead) = words::LEADS.split('|').find(|lead| {
            text.get(..lead.len()).is_some_and(|start| start.eq_ignore_ascii_case(lead))
        }) {
            text = text[lead.len()..].trim_start();
        }
        let lower = text.to_ascii_lowercase();
        let tail = words::TAILS.split('|').filter_map(|tail| lower.rfind(tail));
        let whole = |at: &usize| {
            let rest = &text[*at..];
            let is_rule = || Phrase::new(rest.trim_start_matches([',', ' '])).kind(false).is_some();
            text[..*at].split_whitespace().count() >= QUOTED
                && !rest.starts_with(", so that")
                && !is_rule()
        };
        tail.filter(whole).min().map_or(text, |at| &text[..at])
    }
}

fn begins_as_question(all: &[String]) -> bool {
    let word = |at: usize| all.get(at).map(String::as_str).unwrap_or_default();
    let is_do = word(0) == "do" && is_among(word(1), "we|you|i|they");
    is_among(word(0), words::QUESTIONS) || is_do
}

pub(super) fn without_quotations(text: &str) -> String {
    const QUOTES: [(char, char); 5] = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('»', '«')];
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let mut rest = line;
        while let Some(at) = rest.find(|c| QUOTES.iter().any(|(open, _)| *open == c)) {
            let open = rest[at..].chars().next().unwrap_or_default();
            let close =
                QUOTES.iter().find(|(one, _)| *one == open).map_or('"', |(_, close)| *close);
            let inside = at + open.len_utf8();
            let Some(length) = rest[inside..].find(close) else { break };
            let end = inside + length + close.len_utf8();
            if rest[inside..inside + length].split_whitespace().count() < QUOTED {
                out.push_str(&rest[..end]);
            } else {
                out.push_str(&rest[..at]);
                out.push('…');
            }
            rest = &rest[end..];
        }
        out.push_str(rest);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotations_are_left_out() {
        assert_eq!(without_quotations("use \"Sie\" here"), "use \"Sie\" here");
        assert_eq!(without_quotations("it says \"never do that. Ever\" there"), "it says … there");
        assert_eq!(without_quotations("5\" and\n„immer nur das hier“"), "5\" and\n…");
    }
}
