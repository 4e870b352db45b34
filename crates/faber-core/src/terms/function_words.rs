//! Function words of other languages: being rare, they would select texts in that language.

use super::pieces::is_stop;
use super::words::is_cjk;
use crate::word_list::words;

/// In the order of [`Language::BY_WORDS`].
const LANGUAGES: [&[&str]; 8] = [
    words!(
        "aber, alle, als, am, an, auch, auf, aus, bei, beim, bin, bis, bitte, da, damit, dann",
        "das, dass, dem, den, denn, der, des, die, dies, diese, diesem, diesen, dieser",
        "dieses, doch, du, durch, ein, eine, einem, einen, einer, eines, er, es, für, gibt",
        "habe, haben, hat, hier, ich, ihr, ihre, im, in, ins, ist, ja, jede, jeder, kann",
        "kein, keine, können, könnte, man, mehr, mein, meine, meinem, meinen, mich, mir, mit",
        "muss, müssen, nach, nicht, noch, nur, ob, oder, ohne, sein, seine, sich, sie, sind",
        "so, soll, sollen, sollte, sollten, um, und, uns, unser, unsere, unserem, unseren",
        "unserer, vom, von, vor, wann, war, warum, was, weil, welche, welchen, welcher",
        "welches, wenn, wer, werden, wie, wieso, will, wir, wird, wo, wurde, zu, zum, zur",
        "über",
    ),
    words!(
        "aan, als, bij, dan, dat, de, deze, die, dit, door, een, en, er, geen, graag, hebben",
        "heeft, het, hoe, hun, ik, in, is, je, kan, kun, kunnen, maar, mag, met, mij, mijn",
        "moet, moeten, na, naar, niet, nog, of, om, onder, ons, onze, ook, op, over, te, tot",
        "uit, van, voor, waar, waarom, wanneer, wat, we, welke, wie, wij, wil, worden, wordt",
        "zal, ze, zich, zijn, zonder",
    ),
    words!(
        "ai, au, aux, avec, avoir, ce, ces, cet, cette, comment, dans, de, depuis, des, du",
        "elle, en, est, et, faire, faut, il, ils, je, la, le, les, leur, leurs, lors, ma",
        "mais, mes, moi, mon, ne, nos, notre, nous, on, ont, ou, où, par, pas, peut, peux",
        "plus, pour, pourquoi, qu, quand, que, quel, quelle, quelles, quels, qui, quoi, sa",
        "sans, se, ses, si, son, sont, sous, sur, tous, tout, toute, toutes, très, un, une",
        "veux, vos, votre, vous, à, être",
    ),
    words!(
        "al, algo, como, con, cual, cuando, cuál, cuáles, cuándo, cómo, de, debe, debo, del",
        "desde, donde, dónde, el, ella, ellos, en, entre, es, esa, ese, eso, esta, estas",
        "este, esto, estos, está, están, hace, hacer, hasta, hay, la, las, le, les, lo, los",
        "me, mi, mis, muy, más, nos, nuestra, nuestro, para, pero, por, porque, puede, puedo",
        "que, quiero, quién, qué, se, ser, si, sin, sobre, son, su, sus, también, tengo",
        "tiene, tu, un, una, uno, ya, yo",
    ),
    words!(
        "ao, aos, as, até, com, como, da, das, de, deve, devo, do, dos, ela, ele, em, entre",
        "essa, esse, esta, este, está, eu, fazer, foi, há, isso, isto, já, lhe, mais, mas, me",
        "meu, minha, muito, na, nas, no, nos, nossa, nosso, não, onde, os, ou, para, pela",
        "pelo, pode, por, porque, posso, quais, qual, quando, que, quem, quero, se, sem, ser",
        "seu, sobre, sua, são, também, tem, tenho, um, uma, você, à, às, é",
    ),
    words!(
        "agli, ai, al, alla, alle, anche, che, chi, ci, come, con, cosa, cui, da, dal, dalla",
        "de, degli, dei, del, della, delle, deve, devo, di, dove, fare, gli, ha, ho, il, in",
        "io, la, le, lo, ma, mi, mia, mio, ne, nei, nel, nella, nelle, noi, non, nostra",
        "nostro, per, perché, più, posso, può, quale, quali, quando, quanto, questa, queste",
        "questi, questo, se, senza, si, sia, sono, sua, sue, sui, sul, sulla, suo, tra, un",
        "una, uno, voglio, è",
    ),
    words!(
        "aby, albo, ale, bez, by, być, chcę, co, czy, dla, do, gdy, gdzie, ich, ile, ja, jak",
        "jaka, jaki, jakie, jest, jeśli, kiedy, kto, która, które, który, lub, ma, mam, mnie",
        "mogę, może, można, mój, na, nad, nas, nasz, nie, nim, od, oraz, po, przed, przez",
        "przy, się, są, ta, tak, także, tam, te, ten, to, tu, tylko, tym, we, za, ze, że",
    ),
    words!(
        "а, без, будет, бы, быть, в, вам, вас, во, вот, все, всё, вы, где, да, для, до, его",
        "если, есть, ещё, же, за, и, из, или, их, к, как, какая, какие, какой, когда, кто, ли",
        "мне, могу, можно, мой, мы, на, надо, нам, наш, не, нет, но, нужно, о, об, он, она",
        "они, от, по, под, почему, при, с, со, так, также, то, только, ты, у, уже, хочу, чем",
        "через, что, чтобы, эта, эти, это, этот, я",
    ),
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    German,
    Dutch,
    French,
    Spanish,
    Portuguese,
    Italian,
    Polish,
    Russian,
    Japanese,
    Chinese,
    Korean,
}

impl Language {
    const BY_WORDS: [Self; LANGUAGES.len()] = [
        Self::German,
        Self::Dutch,
        Self::French,
        Self::Spanish,
        Self::Portuguese,
        Self::Italian,
        Self::Polish,
        Self::Russian,
    ];

    pub(super) fn all_of<'a>(question: &str, words: impl Iterator<Item = &'a str>) -> Vec<Self> {
        let has = |is: fn(char) -> bool| question.contains(is);
        if has(|c| matches!(c, '\u{3041}'..='\u{30ff}')) {
            return vec![Self::Japanese];
        } else if has(|c| matches!(c, '\u{ac00}'..='\u{d7a3}')) {
            return vec![Self::Korean];
        } else if has(is_cjk) {
            return vec![Self::Chinese];
        } else if has(|c| matches!(c, '\u{400}'..='\u{4ff}')) {
            return vec![Self::Russian];
        }
        let (counts, english) = counts(words);
        let has_accents = has(|c| matches!(c, '\u{c0}'..='\u{17f}'));
        let least = english.max(usize::from(!has_accents));
        let most = counts.into_iter().fold(least, usize::max);
        let all = Self::BY_WORDS.into_iter().zip(counts).filter(|(_, count)| *count == most);
        all.map(|(language, _)| language).filter(|language| language.is_latin()).collect()
    }

    pub(super) fn is_latin(self) -> bool {
        !matches!(self, Self::Russian | Self::Japanese | Self::Chinese | Self::Korean)
    }
}

/// Chinese, and the Japanese suffix 方.
const PARTICLES: &str = "的了吗嗎呢吧么麼是在和与與及或有我你您他她它们們这這那个個如何怎样樣什请請把被让讓给給对對从從到为為以可能会會要想应應该該就都也还還不没沒很一個个才能又再些方";

const ENDINGS: &str = "をはがのにでともへやしさす";

/// Also English words or names of programs.
const SHARED: [&str; 21] = [
    "ai", "com", "come", "comment", "den", "die", "du", "era", "es", "hat", "man", "met", "non",
    "os", "over", "per", "plus", "po", "son", "ten", "war",
];

const ENOUGH: usize = 100;

#[derive(Clone, Copy, Debug)]
pub(super) struct FunctionWords {
    languages: [bool; LANGUAGES.len()],
}

impl FunctionWords {
    pub(super) fn of<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let (counts, english) = counts(words);
        let most = counts.into_iter().fold(english.max(1) + 1, usize::max);
        Self { languages: counts.map(|count| count == most) }
    }

    pub(super) fn of_language(language: Language) -> Self {
        Self { languages: Language::BY_WORDS.map(|of| of == language) }
    }

    pub(super) fn has(self, piece: &str) -> bool {
        let is_end = |piece: &str| {
            let mut chars = piece.chars();
            chars.next().is_some_and(is_hiragana)
                || chars.next().is_some_and(|c| ENDINGS.contains(c))
        };
        let word = piece.to_lowercase();
        let mut all = LANGUAGES.iter().zip(self.languages).filter(|(_, is)| *is);
        all.any(|(words, _)| words.binary_search(&&*word).is_ok())
            || piece.chars().all(|c| is_hiragana(c) || PARTICLES.contains(c))
            || is_end(piece)
    }
}

fn counts<'a>(words: impl Iterator<Item = &'a str>) -> ([usize; LANGUAGES.len()], usize) {
    let mut counts = [0; LANGUAGES.len()];
    let mut english = 0;
    for word in words.take(ENOUGH) {
        let word = word.to_lowercase();
        if is_stop(&word) {
            english += 1;
        } else if !SHARED.contains(&&*word) {
            for (count, language) in counts.iter_mut().zip(LANGUAGES) {
                *count += usize::from(language.binary_search(&&*word).is_ok());
            }
        }
    }
    (counts, english)
}

fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{309f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(question: &str) -> Vec<&str> {
        let words = FunctionWords::of(question.split(' '));
        question.split(' ').filter(|word| !words.has(word)).collect()
    }

    #[test]
    fn two_words_show_the_language_of_a_question() {
        assert!(LANGUAGES.iter().all(|language| language.is_sorted()));
        assert_eq!(left("Wie storniere ich die Rechnung"), ["storniere", "Rechnung"]);
        assert_eq!(
            left("comment annuler une facture pour le client"),
            ["annuler", "facture", "client"]
        );
        assert_eq!(left("как отменить счёт для клиента"), ["отменить", "счёт", "клиента"]);
        for english in
            ["why do the pods die in a war", "parse der files", "restart ten pods", "ai du", ""]
        {
            assert_eq!(left(english).join(" "), english);
        }
    }

    #[test]
    fn particles_of_chinese_and_japanese_say_nothing() {
        assert_eq!(left("如何 测试 的 性能 ます を 鍵"), ["测试", "性能", "鍵"]);
        assert_eq!(left("作り り方 方を 方法 レー"), ["作り", "方法", "レー"]);
    }
}
