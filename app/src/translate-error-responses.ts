import faultsInEnglish from "../texts/faults/en.json";
import faultsForPeople from "../texts/faults/people.json";
import refusalsInEnglish from "../texts/refusals/en.json";
import refusalsForPeople from "../texts/refusals/people.json";
import valuesInEnglish from "../texts/values/en.json";
import { type ErrorTextsOfLanguage, fieldLabel, translateErrorByCode } from "./error-value-labels.ts";
import { currentLanguage, type Language } from "./texts.ts";
import { translateValidationIssue, type ValidationIssue } from "./translate-validation-issue.ts";

/*
 * Translates error messages by code, and 422 entries by type (translate-validation-issue.ts). Fields appear by label and
 * values by name (error-value-labels.ts). English uses the service's text except where `people.json` replaces it.
 * Loaded with the first error.
 */

type Texts = Pick<ErrorTextsOfLanguage, "refusals" | "faults" | "values">;

/** The service's own text. */
const english: Texts = { refusals: refusalsInEnglish, faults: faultsInEnglish, values: valuesInEnglish };

const files: Record<Language, () => Promise<Texts>> = {
  en: async () => ({
    refusals: { ...refusalsInEnglish, ...refusalsForPeople },
    faults: { ...faultsInEnglish, ...faultsForPeople },
    values: valuesInEnglish,
  }),
  de: async () => ({
    refusals: (await import("../texts/refusals/de.json")).default,
    faults: (await import("../texts/faults/de.json")).default,
    values: (await import("../texts/values/de.json")).default,
  }),
  es: async () => ({
    refusals: (await import("../texts/refusals/es.json")).default,
    faults: (await import("../texts/faults/es.json")).default,
    values: (await import("../texts/values/es.json")).default,
  }),
};

/** Undefined if the file cannot be loaded. */
const textsIn = (language: Language): Promise<ErrorTextsOfLanguage | undefined> =>
  files[language]().then(
    (texts) => ({ ...texts, language, english }),
    () => undefined,
  );

/**
 * The response with translated errors, including the last event of a stream. Unchanged if no translation is
 * available.
 */
export async function translateErrorResponse(answer: Response): Promise<Response> {
  const spoken = await textsIn(currentLanguage());
  if (!spoken) return answer;
  if (!answer.ok) return refusalIn(answer, spoken);
  const events = answer.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(eventsIn(spoken))
    .pipeThrough(new TextEncoderStream());
  return new Response(events ?? null, answer);
}

/** The translated error of an import row, by code. */
export async function translateImportRowError(code: string | null, said: string): Promise<string> {
  const spoken = await textsIn(currentLanguage());
  return spoken ? translateErrorByCode(code, said, spoken) : said;
}

async function refusalIn(refusal: Response, spoken: ErrorTextsOfLanguage): Promise<Response> {
  const body = await refusal
    .clone()
    .json()
    .catch(() => undefined);
  if (!body?.detail) return refusal;
  const detail =
    typeof body.detail === "string"
      ? translateErrorByCode(refusal.headers.get("X-Error-Code"), body.detail, spoken)
      : body.detail.map((issue: ValidationIssue & { loc: (string | number)[] }) => ({
          ...issue,
          msg: translateValidationIssue(issue, spoken),
          label: fieldLabel(issue.loc.slice(1), spoken),
        }));
  return new Response(JSON.stringify({ ...body, detail }), refusal);
}

/** Passes each event on once it is complete, and translates a final error event. */
function eventsIn(spoken: ErrorTextsOfLanguage): TransformStream<string, string> {
  const ended = "\n\n";
  let rest = "";
  return new TransformStream({
    transform(text, controller) {
      const events = (rest + text).split(ended);
      rest = events.pop() ?? "";
      for (const event of events) controller.enqueue(eventIn(event, spoken) + ended);
    },
    flush: (controller) => controller.enqueue(rest),
  });
}

const data = "data: ";

function eventIn(event: string, spoken: ErrorTextsOfLanguage): string {
  if (!event.startsWith(data) || !event.includes('"error":')) return event;
  const told = JSON.parse(event.slice(data.length));
  if (typeof told.error !== "string") return event;
  return data + JSON.stringify({ ...told, error: translateErrorByCode(told.code, told.error, spoken) });
}
