//! Stems of words that override a prompt.

use super::table::Table;
use crate::word_list::words;

/// Lower case; a capital letter may begin them.
pub(super) const VERBS: Table = Table::new(words!(
    // English
    "ignor, disregard, forget, overrid, bypass, overrul, supersed, discard, dismiss, abandon",
    "nullif, stop following, stop obeying, stop adhering, pay no attention, pay no heed, set aside",
    "put aside, leave aside, throw away, throw out, do not obey, don't obey, do not follow",
    "don't follow, no longer follow, no longer obey",
    // German
    "vergiss, vergessen sie, missacht, verwirf, verwerfen sie, übergeh",
    // French; "ignor" is in several languages
    "oubli, plus compte d, pas compte d, fais fi d, faites fi d, fais abstraction",
    "faites abstraction, passe outre, passez outre, néglige, ne suis p, ne suivez p",
    // Spanish and Portuguese
    "olvid, caso omiso, descart, desestim, prescind, no sigas, no obede, pasa por alto, esque",
    "desconsider, não sig, não obede, deixe de lado",
    // Italian and Romanian
    "dimentic, scorda, trascura, tralascia, non seguire, non tener, nesocot, nu urma, uită",
    // Dutch
    "negeer, vergeet, sla all, sla de , volg niet",
    // Swedish, Danish, Norwegian
    "glöm, glem, bortse, se bort fra, strunta i",
    // Finnish and Hungarian
    "unohda, jätä huomiotta, älä noudata, sivuuta, figyelmen kívül, felejts, mellőzd",
    // Polish, Czech, Slovak
    "zapomnij, pomiń, odrzuć, nie stosuj, zapome, nedbej, pomiň, zabudn",
    // Russian and Ukrainian
    "игнор, проигнор, забуд, не обращай, отбрось, не следуй, ігнор, проігнор, не зважай, відкинь",
    // Greek
    "αγνό, αγνοή, ξέχασ, ξεχάσ, παράβλεψ",
    // Turkish, with the verb last
    "yok say, görmezden gel, dikkate alma, unut",
    // Arabic and Hebrew
    "تجاهل, تغاض, انس , أهمل, لا تتبع",
    "התעלם, התעלמ, שכח",
    // Hindi
    "अनदेखा, नज़रअंदाज़, भूल, उपेक्षा",
    // Vietnamese and Indonesian
    "bỏ qua, quên, phớt lờ, abaikan, lupakan, kesampingkan",
    // Chinese
    "忽略, 忽视, 忽視, 无视, 無視, 忘记, 忘記, 忘掉, 不要理会, 不要遵守",
    // Japanese; "無視" is Chinese too
    "忘れ, 従わな, 破棄",
    // Korean
    "무시, 잊어, 잊으, 따르지",
));

/// Turkish, with the negating syllable.
pub(super) const LAST: &[(&str, &str)] =
    &[("yok say", "ma"), ("görmezden gel", "me"), ("dikkate alma", "k"), ("unut", "ma")];

/// "Do not" directly before a verb.
pub(super) const NOT: &[&str] = &[
    "not", "never", "nicht", "nie", "niemals", "pas", "jamais", "no", "non", "não", "nunca",
    "niet", "nooit", "не", "nu", "ne", "inte", "ikke", "aldrig", "jangan", "đừng", "không",
];

/// Common verbs, which need a word specific to prompts.
pub(super) const STRICT: &[&str] = words!(
    "overrid, bypass, overrul, supersed, discard, dismiss, abandon, nullif, set aside, put aside",
    "leave aside, descart, prescind, néglige",
);

pub(super) const EARLIER: Table = Table::new(words!(
    "previous, prior, above, earlier, preceding, foregoing, former, bisherig, vorher, vorig, obig",
    "früher, vorangegangen, précédent, précedent, antérieur, jusqu, ci, anterior, previ, precedent",
    "eerder, voorgaand, poprzedni, wcześniejsz, powyższ, предыдущ, прежн, предшеств, попередн",
    "tidigare, tidliger, föregående, předchoz, předešl, predchádz, sebelum, trước, aiem, aikaisem",
    "edellis, korább, előző, προηγούμεν, παραπάνω",
    "السابق, أعلاه",
    "הקודמ, לעיל",
));

/// The model's own; need a word of `PROMPT`.
pub(super) const OWN: Table = Table::new(words!(
    "your, system, original, initial, safety, dein, ihre, tes, vos, tus, sus, tue, твои",
    "ваши, systeem",
));

pub(super) const PROMPT: Table = Table::new(words!(
    "instruction, prompt, guideline, guidance, training, programming, constraint, restriction",
    "directive, anweisung, vorgabe, consigne, instrucci, instruccion, instruç, istruzion",
    "instructie, instruk, instrucțiun, polece, wytyczn, pokyn, hướng, chỉ, ohje, utasítás, szabály",
    "οδηγ, εντολ, інструкц, вказівк, инструкц, указан, направ",
    "التعليمات, تعليمات, الأوامر, التوجيهات",
    "ההוראות, מההוראות, הוראות, הנחיות, ההנחיות",
));

/// Possible parts of a prompt, unless another noun is before them.
pub(super) const WEAK: Table = Table::new(words!(
    "rule, direction, command, context, message, polic, guardrail, conversation",
));

pub(super) const RULES: Table = Table::new(words!(
    "regel, befehl, règle, regla, regra, regol, orden, reguł, zasad, pravid, правил, команд",
    "sääntö, säännö, κανόν, peraturan, aturan, quy, lệnh",
    "القواعد",
    "הכללים",
));

/// For languages without spaces or with the verb last.
pub(super) const EARLIER_LAST: &[&str] = words!(
    "之前, 以上, 先前, 上述, 前面, 此前, 上面, 所有, 以前, 従来, これまで, 上記, 先ほど, ここまで, 今まで, 前の, すべて, 이전, 앞선, 앞의, 위의",
    "지금까지, 모든, 你的, 您的, önceki, yukarıdaki, tüm , पिछले, पिछली, पहले, सभी, उपरोक्त",
);
pub(super) const PROMPT_LAST: &[&str] = words!(
    "指令, 指示, 提示, 命令, 说明, 規則, 规则, ルール, プロンプト, 지시, 명령, 프롬프트, 지침, 규칙, talimat, komut, kural, निर्देश",
    "नियम",
);
/// What was said to the model.
pub(super) const SAID_LAST: &[&str] = words!(
    "告诉你的一切, 告诉你的话, 告诉你的内容, 跟你说的, 对你说的, 对你说过, 说过的, 言われた, 伝えられた, 教えられた, 들은 말, 들은 내용, 들은 것, 들었던, 말한 것",
);
