import * as z from "zod";
import type { Deps } from "../../deps.ts";
import { sealToken, unsealToken } from "../../identity/auth/sealing.ts";
import type { ToolCaller } from "./access-tokens.ts";

/*
 * Enrollments and accounts store when they change; staff of an offering and suspensions do not. The address of the
 * differences therefore carries them as they were, encrypted.
 */

export const RosterSnapshot = z.object({
  /** When the roster was read. */
  at: z.string(),
  staff: z.array(z.object({ id: z.int(), role: z.enum(["instructor", "ta"]) })),
  /** Members without an active account. */
  inactive: z.array(z.int()),
});
export type RosterSnapshot = z.output<typeof RosterSnapshot>;

/** Staff and inactive members that an address can carry. A larger roster has no differences. */
export const maxRosterSnapshotMembers = 200;

/** In seconds: 30 days. */
const lifetime = 2_592_000;

const purpose = "roster state of a tool of LTI";

type Parts = Pick<Deps, "config" | "now">;
type Owner = { tool_id: number; offering_id: number };

const ownerOf = ({ tool_id }: ToolCaller, offering_id: number): Owner => ({ tool_id, offering_id });

export const sealRosterSnapshot = (
  parts: Parts,
  caller: ToolCaller,
  offeringId: number,
  state: RosterSnapshot,
) => sealToken(parts, purpose, lifetime, { ...ownerOf(caller, offeringId), ...state });

/** Undefined if it is over 30 days old, or of another tool or offering. */
export async function unsealRosterSnapshot(
  parts: Parts,
  caller: ToolCaller,
  offeringId: number,
  sealed: string,
): Promise<RosterSnapshot | undefined> {
  const state = await unsealToken<RosterSnapshot & Owner>(parts, purpose, sealed);
  return state?.tool_id === caller.tool_id && state.offering_id === offeringId ? state : undefined;
}
