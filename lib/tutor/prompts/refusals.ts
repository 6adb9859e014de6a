import {
  badRequest,
  forbidden,
  type HttpError,
  httpErrorFromCode,
  PreconditionFailed,
} from "../../errors.ts";
import { constraintViolationIn } from "../../platform/db/query/violations.ts";
import { BrokenReferenceError, type ReferenceProblem } from "./inline.ts";
import { describeReference, type Reference } from "./references.ts";
import { knownVariables } from "./variables.ts";

/** By rule, with the database's detail. */
const answers: Record<string, (about: string) => HttpError> = {
  prompt_references_whole: (about) =>
    badRequest("prompt_reference_broken", { fault: describeBreak(JSON.parse(about)).message }),
  prompt_labels_latest: () => latestIsAutomaticError(),
  prompt_labels_protected: () => forbidden(),
  prompt_labels_followed: (followers) => forbidden("protected_labels_follow", { labels: followers }),
  prompt_rollouts_running: () => badRequest("rollout_of_version_running"),
  prompt_variables: (names) =>
    httpErrorFromCode(400, "unknown_variables", [
      { field: "prompt", names, known: knownVariables.join(", ") },
    ]),
  prompt_dependents: (dependents) => badRequest("prompt_referenced", { dependents }),
};

/** On a version conflict, `present` reads the current state or throws 404. */
export async function translatePromptRefusal<T>(
  change: PromiseLike<T>,
  present?: () => Promise<object>,
): Promise<T> {
  try {
    return await change;
  } catch (error) {
    const refusal = constraintViolationIn(error);
    if (refusal?.constraint === "prompt_names_version" && present)
      throw new PreconditionFailed(await present());
    const answer = answers[refusal?.constraint ?? ""];
    throw answer ? answer(refusal?.detail ?? "") : error;
  }
}

/** `latest` always follows the newest version. */
export const latestIsAutomaticError = () => badRequest("latest_is_automatic");

/** The path to a broken reference, and its problem. */
type Break = Omit<Reference, "child_name"> & { problem: ReferenceProblem; chain: string[] };

function describeBreak({ problem, chain, child_version, child_label }: Break): BrokenReferenceError {
  if (problem !== "missing") return new BrokenReferenceError(problem, chain);
  const reference = { child_name: chain.at(-1) ?? "", child_version, child_label };
  return new BrokenReferenceError(problem, [...chain.slice(0, -1), describeReference(reference)]);
}
