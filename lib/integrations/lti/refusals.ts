import { HttpError } from "../../errors.ts";

const reasons = {
  bad_request: [
    400,
    "The request of the LMS lacks something that a launch needs, or has it in a way that is not allowed.",
  ],
  unknown_platform: [404, "No LMS with this issuer and client is registered here."],
  several_platforms: [400, "The LMS has to name its client: several with this issuer are registered here."],
  not_begun: [400, "This launch was not begun here, or over ten minutes ago. Begin it again in your LMS."],
  other_browser: [403, "This launch was begun in another browser, or your browser kept nothing of it."],
  platform_refused: [400, "The LMS did not sign you in."],
  signature: [400, "What the LMS sent is not signed with one of its keys."],
  audience: [400, "What the LMS sent is from someone else, or for someone else."],
  expired: [400, "What the LMS sent has expired. Begin the launch again in your LMS."],
  not_yet: [400, "What the LMS sent is older than five minutes, or from the future: its clock may be wrong."],
  nonce: [400, "What the LMS sent belongs to another launch."],
  replayed: [400, "This launch was used already. Begin it again in your LMS."],
  version: [400, "The LMS speaks another version of LTI: this tool takes 1.3."],
  message: [400, "The LMS asks for something that this tool does not offer."],
  claims: [400, "What the LMS sent lacks something that a launch needs."],
  accept_types: [400, "The LMS asks for something that is no link: this tool makes links alone."],
  return_address: [
    400,
    "The LMS says no address of its own, with https, that the links are to be sent to. Have an administrator here name its origin among those of its frames.",
  ],
  not_staff: [403, "Only whoever teaches the course picks what it links to."],
  links_over: [400, "These links were picked over five minutes ago, or not here. Begin again in your LMS."],
  target: [400, "The LMS wants to launch an address that does not belong to this tool."],
  waiting: [403, "This place in the LMS waits until an administrator here admits it."],
  no_context: [400, "The LMS does not say from which of its courses you come."],
  no_role: [403, "The LMS does not say that you learn or teach in this course."],
  dropped: [403, "Staff have taken you off this course. Ask whoever teaches it."],
  inactive: [403, "Your account here is inactive."],
  inactive_person: [403, "The university has suspended you here."],
  inactive_university: [403, "The university is not active here at the moment."],
  registration_over: [
    400,
    "This link to register an LMS was used, or is over an hour old. Have an administrator make another.",
  ],
  registration_failed: [
    400,
    "The LMS could not be registered: what it says of itself is not as LTI asks for, or not at a public https address. Have an administrator make another link.",
  ],
  registered_already: [400, "The LMS is registered already."],
  keys_unreachable: [400, "The keys of the LMS cannot be read at the moment. Try again in a minute."],
} as const satisfies Record<string, readonly [status: number, words: string]>;

const codeOf = (reason: string): string => `lti_${reason}`;

export const refusalWords: Record<string, string> = Object.fromEntries(
  Object.entries(reasons).map(([reason, [, words]]) => [reason, words]),
);

export const launchRefusals = Object.entries(reasons).map(
  ([reason, [, words]]) => [codeOf(reason), words] as const,
);

export type RefusalReason = keyof typeof reasons;

/** In the launch metric. */
export type LaunchOutcome = "accepted" | "unbound" | "sign_in" | RefusalReason;

export class LaunchRefusal extends HttpError {
  override name = "LaunchRefusal";
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, cause?: unknown) {
    const [status, words] = reasons[reason];
    super(status, codeOf(reason), words, { cause });
    this.reason = reason;
  }
}
