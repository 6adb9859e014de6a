import type { Deps } from "../../deps.ts";
import { sealToken, unsealToken } from "../../identity/auth/sealing.ts";
import { createBrowserKey } from "../lti/browser-key.ts";

/** The launched person's role in the offering. */
export type ToolRole = "learner" | "ta" | "instructor";

/** A permitted launch, carried by the browser. Without an offering it asks for links of a course. */
export type ToolLaunchTicket = {
  tool_id: number;
  client_id: string;
  deployment_id: string;
  login_url: string;
  /** At the tool. */
  target: string;
  person_id: number;
  subject: string;
  university_id: number;
  course_id: number;
  role: ToolRole;
  /** In a frame, whose parent keeps values for the tool. */
  is_framed: boolean;
  offering_id?: number | undefined;
  content_item_id?: number | undefined;
  /** The learner whose work in the item is reviewed. */
  reviewed_person_id?: number | undefined;
};

/** With the browser that opened it. */
export type BrowserBoundTicket = ToolLaunchTicket & { name: string; key_hash: string };

/** In seconds, for each of the two steps. */
export const toolLaunchTicketLifetimeSeconds = 300;

const purpose = "launch of a tool of LTI";

type Parts = Pick<Deps, "config" | "now">;

export const encryptTicket = (parts: Parts, ticket: ToolLaunchTicket): Promise<string> =>
  sealToken(parts, purpose, toolLaunchTicketLifetimeSeconds, ticket);

/** The login's message hint, and the key that only this browser has. Undefined if the ticket is over. */
export async function bindTicketToBrowser(
  parts: Parts,
  sealed: string,
): Promise<{ ticket: ToolLaunchTicket; hint: string; name: string; key: string } | undefined> {
  const ticket = await unsealToken<ToolLaunchTicket & Partial<BrowserBoundTicket>>(parts, purpose, sealed);
  if (!ticket || ticket.key_hash !== undefined) return undefined;
  const { name, key, key_hash } = createBrowserKey();
  const opened: BrowserBoundTicket = { ...ticket, name, key_hash };
  return {
    ticket,
    hint: await sealToken(parts, purpose, toolLaunchTicketLifetimeSeconds, opened),
    name,
    key,
  };
}

export async function decryptMessageHint(
  parts: Parts,
  hint: string,
): Promise<BrowserBoundTicket | undefined> {
  const opened = await unsealToken<Partial<BrowserBoundTicket> & ToolLaunchTicket>(parts, purpose, hint);
  return opened?.key_hash === undefined ? undefined : (opened as BrowserBoundTicket);
}
