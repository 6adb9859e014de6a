import faultsInEnglish from "../texts/faults/en.json";
import refusalsInEnglish from "../texts/refusals/en.json";
import { type Fault, faultIn } from "./fault-words.ts";
import { interpolate, type Values } from "./interpolate.ts";
import { currentLanguage, type Language } from "./texts.ts";
import { valuesIn } from "./values-in.ts";

/*
 * What the service says where it refuses, in the language of whoever reads it: by its code, and of a 422 each fault by its
 * type (fault-words.ts). Loaded with the first refusal that is read in another language than the service's own.
 */

type Sentences = Readonly<Record<string, string>>;
type Spoken = { refusals: Sentences; faults: Sentences };

const files: Record<Exclude<Language, "en">, () => Promise<Spoken>> = {
  de: async () => ({
    refusals: (await import("../texts/refusals/de.json")).default,
    faults: (await import("../texts/faults/de.json")).default,
  }),
  es: async () => ({
    refusals: (await import("../texts/refusals/es.json")).default,
    faults: (await import("../texts/faults/es.json")).default,
  }),
};

/** None of the service's own language, and where they cannot be read. */
const sentencesIn = async (language: Language): Promise<Spoken | undefined> =>
  language === "en" ? undefined : files[language]().catch(() => undefined);

/**
 * The same answer with what it refuses in that language, which of a stream its last event may be; as it is where the words
 * cannot be read, or none say the same.
 */
export async function inReadersWords(answer: Response): Promise<Response> {
  const language = currentLanguage();
  const spoken = await sentencesIn(language);
  if (!spoken) return answer;
  if (!answer.ok) return refusalIn(answer, spoken, language);
  const events = answer.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(eventsIn(spoken, language))
    .pipeThrough(new TextEncoderStream());
  return new Response(events ?? null, answer);
}

/** What a row says that was refused by that code, in the reader's language. */
export async function rowInReadersWords(code: string | null, said: string): Promise<string> {
  const language = currentLanguage();
  const spoken = await sentencesIn(language);
  return spoken ? worded(code, said, spoken, language) : said;
}

async function refusalIn(refusal: Response, spoken: Spoken, language: Language): Promise<Response> {
  const body = await refusal
    .clone()
    .json()
    .catch(() => undefined);
  if (!body?.detail) return refusal;
  const detail =
    typeof body.detail === "string"
      ? worded(refusal.headers.get("X-Error-Code"), body.detail, spoken, language)
      : body.detail.map((fault: Fault) => ({
          ...fault,
          msg: faultIn(fault, faultsInEnglish, spoken.faults, language),
        }));
  return new Response(JSON.stringify({ ...body, detail }), refusal);
}

/** Each event as soon as it is whole; of one that ends a stream with a refusal the words. */
function eventsIn(spoken: Spoken, language: Language): TransformStream<string, string> {
  const ended = "\n\n";
  let rest = "";
  return new TransformStream({
    transform(text, controller) {
      const events = (rest + text).split(ended);
      rest = events.pop() ?? "";
      for (const event of events) controller.enqueue(eventIn(event, spoken, language) + ended);
    },
    flush: (controller) => controller.enqueue(rest),
  });
}

const data = "data: ";

function eventIn(event: string, spoken: Spoken, language: Language): string {
  if (!event.startsWith(data) || !event.includes('"error":')) return event;
  const told = JSON.parse(event.slice(data.length));
  if (typeof told.error !== "string") return event;
  return data + JSON.stringify({ ...told, error: worded(told.code, told.error, spoken, language) });
}

function worded(code: string | null, said: string, { refusals }: Spoken, language: Language): string {
  const words = refusals[code ?? ""];
  const english: string | undefined = (refusalsInEnglish as Sentences)[code ?? ""];
  if (words === undefined || english === undefined) return said;
  return filled(words, valuesIn(english, said), language) ?? said;
}

/** Without its values a sentence is said that needs none, such as that a thing was not found. */
const filled = (words: string, values: Values | undefined, language: Language): string | undefined =>
  values || !words.includes("{") ? interpolate(words, values ?? {}, language) : undefined;
