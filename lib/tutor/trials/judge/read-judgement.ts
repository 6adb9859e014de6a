import type { JudgedOrder } from "../../../../schema/db/tutor/trials.ts";
import { type JudgeCriterion, judgeCriteria, type TrialVerdict } from "../../../../schema/enums.ts";
import { parseLenientJson } from "../../dialogue/lenient-json.ts";

const maxJudgementReasonCharacters = 1000;

/** The object that has `better`, in any wrapping. Prose is no verdict. */
export function parseJudgement(text: string, candidateFirst: boolean): JudgedOrder {
  const said = objectIn(text);
  const verdictOf = (value: unknown) => verdict(value, candidateFirst);
  return {
    candidate_first: candidateFirst,
    verdict: verdictOf(said?.["better"]) ?? null,
    criteria: criteriaOf(said?.["criteria"], verdictOf),
    why: typeof said?.["why"] === "string" ? said["why"].slice(0, maxJudgementReasonCharacters) : null,
  };
}

/** Models write text around the object. */
function objectIn(text: string): Record<string, unknown> | undefined {
  let most = 20;
  for (let at = text.indexOf("{"); at >= 0 && most > 0; at = text.indexOf("{", at + 1), most -= 1) {
    const value = parseLenientJson(text.slice(at))?.value;
    if (!isObject(value)) continue;
    const lower = Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key.trim().toLowerCase(), one]),
    );
    if ("better" in lower) return lower;
  }
  return undefined;
}

function criteriaOf(
  value: unknown,
  verdictOf: (value: unknown) => TrialVerdict | undefined,
): Partial<Record<JudgeCriterion, TrialVerdict>> {
  if (!isObject(value)) return {};
  const told = new Map(Object.entries(value).map(([name, one]) => [plain(name), one]));
  return Object.fromEntries(
    judgeCriteria.flatMap((criterion) => {
      const found = verdictOf(told.get(plain(criterion)));
      return found ? [[criterion, found]] : [];
    }),
  );
}

/** "A", "answer b", "Tie." and the like. */
function verdict(value: unknown, candidateFirst: boolean): TrialVerdict | undefined {
  if (typeof value !== "string") return undefined;
  const said = plain(value).replace(/^answer/, "");
  if (said === "a") return candidateFirst ? "candidate" : "recorded";
  if (said === "b") return candidateFirst ? "recorded" : "candidate";
  return ["tie", "tied", "equal", "neither", "both", "draw"].includes(said) ? "tie" : undefined;
}

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, "");

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
