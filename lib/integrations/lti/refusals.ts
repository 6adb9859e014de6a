import { HttpError } from "../../errors.ts";

const reasons = {
  bad_request: [400, "The request of the LMS lacks a required parameter, or has an invalid one."],
  unknown_platform: [404, "No LMS with this issuer and client is registered here."],
  several_platforms: [
    400,
    "Several clients with this issuer are registered here. The LMS must name its client.",
  ],
  not_begun: [400, "This launch was not started here, or over ten minutes ago. Start it again in your LMS."],
  other_browser: [403, "This launch was started in another browser, or your browser did not store it."],
  platform_refused: [400, "The LMS did not sign you in."],
  signature: [400, "The message of the LMS is not signed with one of its keys."],
  audience: [400, "The message of the LMS has another sender or another recipient."],
  expired: [400, "The message of the LMS has expired. Start the launch again in your LMS."],
  not_yet: [
    400,
    "The message of the LMS is older than five minutes, or dated in the future. Its clock may be wrong.",
  ],
  nonce: [400, "The message of the LMS belongs to another launch."],
  replayed: [400, "This launch was already used. Start it again in your LMS."],
  version: [400, "The LMS uses another version of LTI. This tool supports 1.3."],
  message: [400, "The LMS requests something that this tool does not offer."],
  claims: [400, "The message of the LMS lacks a required claim."],
  accept_types: [400, "The LMS requests something other than links. This tool only creates links."],
  return_address: [
    400,
    "The LMS gives no https address of its own for the links. Ask an administrator here to add its origin to the frame origins of the LMS.",
  ],
  not_staff: [403, "Only teachers of the course can choose its links."],
  links_over: [400, "These links were chosen over five minutes ago, or not here. Start again in your LMS."],
  target: [400, "The LMS tries to launch an address that does not belong to this tool."],
  waiting: [403, "This deployment in the LMS is waiting for approval by an administrator here."],
  no_context: [400, "The LMS does not name the course that you come from."],
  no_role: [403, "The LMS does not say that you learn or teach in this course."],
  dropped: [403, "Staff have removed you from this course. Ask your teacher."],
  inactive: [403, "Your account here is inactive."],
  inactive_person: [403, "The university has suspended you here."],
  inactive_university: [403, "The university is not active here at the moment."],
  registration_over: [
    400,
    "This link to register an LMS was already used, or is over an hour old. Ask an administrator for a new one.",
  ],
  registration_failed: [
    400,
    "The LMS could not be registered: its configuration is not valid for LTI, or not at a public https address. Ask an administrator for a new link.",
  ],
  registered_already: [400, "The LMS is already registered."],
  tool_request: [400, "The tool's request lacks a required parameter, or has an invalid one."],
  tool_launch_over: [
    400,
    "This launch was already used, or started over five minutes ago. Open the item again.",
  ],
  tool_other_browser: [
    403,
    "This launch was started in another browser, or your browser did not store it. Open the item again.",
  ],
  tool_redirect: [400, "The tool's redirect address is not registered."],
  tool_gone: [404, "The tool was removed."],
  tool_links: [400, "The tool's links are not signed with its keys, or belong to another request."],
  keys_unreachable: [400, "The keys of the LMS cannot be read at the moment. Try again in a minute."],
} as const satisfies Record<string, readonly [status: number, words: string]>;

const codeOf = (reason: string): string => `lti_${reason}`;

export const ltiRefusalMessages: Record<string, string> = Object.fromEntries(
  Object.entries(reasons).map(([reason, [, words]]) => [reason, words]),
);

export const ltiRefusalCodesWithMessages = Object.entries(reasons).map(
  ([reason, [, words]]) => [codeOf(reason), words] as const,
);

export type RefusalReason = keyof typeof reasons;

export class LtiRefusal extends HttpError {
  override name = "LtiRefusal";
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, cause?: unknown) {
    const [status, words] = reasons[reason];
    super(status, codeOf(reason), words, { cause });
    this.reason = reason;
  }
}
