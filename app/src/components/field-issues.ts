import type { PlatformError } from "learning-platform-client";

export type FieldIssuesAndRest = { at: Record<string, string>; rest: string };

/** Strips the validator's prefix from a message. */
export const stripValidatorPrefix = (msg: string): string => msg.replace(/^Value error, /, "");

/** An error of the client. Errors without a field show the label of their text (translate-error-responses.ts). */
type Refusal = Pick<PlatformError, "detail"> & Partial<Pick<PlatformError, "code" | "field">>;
type Labelled = { label?: string };

/**
 * Assigns errors to a form's fields. A 422 has the path of each issue, such as `data_json.blocks.0.text`.
 * Other errors map by code, or by the field that the response names.
 */
export function assignIssuesToFields(
  { detail, code, field }: Refusal,
  names: readonly string[],
): FieldIssuesAndRest {
  const issues =
    typeof detail === "string"
      ? [{ name: fieldOf(code, field, names), msg: detail, label: undefined }]
      : detail.map(({ loc, msg, label }: (typeof detail)[number] & Labelled) => ({
          name: longestOf(loc, names),
          msg: stripValidatorPrefix(msg),
          label,
        }));
  const at: Record<string, string> = {};
  for (const { name, msg } of issues) if (name !== undefined) at[name] ??= msg;
  const rest = issues.filter(({ name }) => name === undefined);
  return { at, rest: rest.map(({ msg, label }) => (label ? `${label}: ${msg}` : msg)).join(". ") };
}

/** The longest field name that is a prefix of the issue's path. */
function longestOf(loc: readonly (string | number)[], names: readonly string[]): string | undefined {
  const path = loc.slice(1).map(String);
  for (let length = path.length; length > 0; length--) {
    const name = path.slice(0, length).join(".");
    if (names.includes(name)) return name;
  }
  return undefined;
}

/** Fields by error code, for responses that name no field. */
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
