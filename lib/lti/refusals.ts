import { HttpError } from "../errors.ts";

/** Why a launch gives nothing: the answer's status, and what its page says. */
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
  target: [400, "The LMS wants to launch an address that does not belong to this tool."],
  waiting: [403, "This place in the LMS waits until an administrator here admits it."],
  registration_over: [
    400,
    "This link to register an LMS was used, or is over an hour old. Have an administrator make another.",
  ],
  registration_failed: [
    400,
    "The LMS could not be registered: what it says of itself is not as LTI asks for, or not at a public https address. Have an administrator make another link.",
  ],
  registered_already: [400, "The LMS is registered already."],
  keys_unreachable: [503, "The keys of the LMS cannot be read at the moment. Try again in a minute."],
} as const satisfies Record<string, readonly [status: number, words: string]>;

export type RefusalReason = keyof typeof reasons;

/** What became of a launch, as it is counted. */
export type LaunchOutcome = "accepted" | RefusalReason;

/** A launch that gives nothing. */
export class LaunchRefusal extends HttpError {
  override name = "LaunchRefusal";
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason, cause?: unknown) {
    const [status, words] = reasons[reason];
    super(status, words, { cause });
    this.reason = reason;
  }
}
