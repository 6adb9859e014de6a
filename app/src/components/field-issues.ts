import type { PlatformError } from "learning-platform-client";

/** What a refusal says of each field, by its name, and what it says of none. */
export type FieldIssues = { at: Record<string, string>; rest: string };

/** What a fault says to people: not that it is one of a value, which a program may want to know. */
export const saidIn = (msg: string): string => msg.replace(/^Value error, /, "");

/** A refusal as the client throws it; what is at no field is said with the label that its words came with (refusal-words.ts). */
type Refusal = Pick<PlatformError, "detail"> & Partial<Pick<PlatformError, "code" | "field">>;
type Labelled = { label?: string };

/**
 * Puts what the service refused to the fields of a form. A 422 says where each fault is; of any other refusal the field is
 * that of its code, or the one that the service names beside it. A field is named as the body has it:
 * `data_json.blocks.0.text`.
 */
export function issuesAt({ detail, code, field }: Refusal, names: readonly string[]): FieldIssues {
  const faults =
    typeof detail === "string"
      ? [{ name: fieldOf(code, field, names), msg: detail, label: undefined }]
      : detail.map(({ loc, msg, label }: (typeof detail)[number] & Labelled) => ({
          name: longestOf(loc, names),
          msg: saidIn(msg),
          label,
        }));
  const at: Record<string, string> = {};
  for (const { name, msg } of faults) if (name !== undefined) at[name] ??= msg;
  const rest = faults.filter(({ name }) => name === undefined);
  return { at, rest: rest.map(({ msg, label }) => (label ? `${label}: ${msg}` : msg)).join(". ") };
}

/** The field, or what it is in, that a fault's path names. */
function longestOf(loc: readonly (string | number)[], names: readonly string[]): string | undefined {
  const path = loc.slice(1).map(String);
  for (let length = path.length; length > 0; length--) {
    const name = path.slice(0, length).join(".");
    if (names.includes(name)) return name;
  }
  return undefined;
}

/** The fields that a rule is about, where the service names none beside its code. */
const fieldsOfCodes: Record<string, readonly string[]> = {
  certificate_expired: ["expires_at"],
  content_order_incomplete: ["content_ids"],
  email_taken: ["email"],
  expires_at_out_of_range: ["expires_at"],
  external_id_taken: ["external_id"],
  group_not_yours: ["group_id"],
  hold_is_over: ["held_until"],
  incorrect_password: ["current_password", "password"],
  items_of_several_courses: ["content_item_ids"],
  lti_platform_taken: ["client_id"],
  max_tokens_out_of_range: ["config.max_tokens"],
  member_not_staff: ["user_id"],
  member_without_place: ["user_id"],
  module_order_incomplete: ["module_ids"],
  nobody_with_email: ["email"],
  nobody_with_external_id: ["external_id"],
  no_date_to_move_from: ["starts_on"],
  not_a_prerequisite: ["prerequisite_course_id"],
  own_data_request: ["user_id"],
  prerequisites_form_cycle: ["prerequisite_course_id"],
  requirements_form_cycle: ["requires_module_ids"],
  requirements_of_another_course: ["requires_module_ids"],
  rescale_required: ["rescale"],
  rubric_incomplete: ["score_obtained", "score"],
  subject_below_itself: ["parent_subject_id"],
  temperature_out_of_range: ["config.temperature"],
  university_id_required: ["university_id"],
  which_group: ["group_id"],
  wrong_enrollment_key: ["enrollment_key"],
};

function fieldOf(
  code: string | undefined,
  field: string | undefined,
  names: readonly string[],
): string | undefined {
  const fields = fieldsOfCodes[code ?? ""] ?? (field === undefined ? [] : [field]);
  return names.find((name) => fields.some((one) => name === one || name.endsWith(`.${one}`)));
}
