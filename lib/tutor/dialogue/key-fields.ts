/** Positions of an option, most often counted from zero. */
export const answerIndexAliases = [
  "answer index",
  "correct index",
  "correct answer index",
  "correct option index",
] as const;

/**
 * Models' names for the fields of a key, in lower case. A blank may be a blank, "-", "_" or nothing. `reason` is
 * also a word of other objects.
 */
export const keyFieldAliases = {
  answer: [
    ...["answer", "answers", "answer id", "answer letter", "answer option"],
    ...answerIndexAliases,
    ...["expected answer", "is correct"],
    ...["correct", "correct answer", "correct answers", "correct answer id", "correct id", "correct letter"],
    ...["correct option", "correct options", "correct option id", "correct choice"],
    ...["right answer", "right option", "right choice"],
  ],
  key: ["key", "keys", "answer key"],
  misconceptions: ["misconceptions", "misconception"],
  skill: ["skill", "skills"],
  because: ["because"],
  reason: ["reason", "reasoning", "why", "explanation", "rationale", "justification"],
} as const;

type KeyField = keyof typeof keyFieldAliases;

/** Only in objects, because prose has lines that begin with them: most are of courses in other languages. */
export const translatedKeyFieldAliases: Record<Exclude<KeyField, "key" | "reason">, readonly string[]> = {
  answer: [
    ...[
      "solution",
      "antwort",
      "richtige antwort",
      "richtig",
      "lösung",
      "respuesta",
      "respuesta correcta",
      "correcta",
    ],
    ...["réponse", "bonne réponse", "risposta", "risposta corretta", "resposta"],
  ],
  misconceptions: [
    ...["fehlvorstellungen", "fehlvorstellung", "ideas erróneas", "conceptos erróneos"],
    ...["idées fausses", "misconcezioni"],
  ],
  skill: ["fertigkeit", "fähigkeit", "kompetenz", "habilidad", "destreza", "compétence", "competenza"],
  because: ["weil", "begründung", "porque", "justificación", "parce que", "perché"],
};

export const questionFieldAliases = ["question", "question id", "question text"];
export const optionsFieldAliases = ["options", "choices"];

const joint = "[ _-]?";

/** Matches one of the names; longer names first. */
export const namesPattern = (names: readonly string[]): string =>
  `(?:${[...names]
    .sort((a, b) => b.length - a.length)
    .map((name) => name.replaceAll(" ", joint))
    .join("|")})`;

const marks = `["'“”„‘’«»「」『』\`*_]{0,3}`;

/** A field with its colon or equals sign, within an object, a line or a tag. */
export const fieldPattern = (names: readonly string[]): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}_])${marks}${namesPattern(names)}${marks}\\s{0,4}[:=]`, "iu");
