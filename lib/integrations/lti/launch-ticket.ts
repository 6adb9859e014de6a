import type { Deps } from "../../deps.ts";
import { badRequest } from "../../errors.ts";
import { seal, unseal } from "../../identity/auth/sealing.ts";
import type { ToldLaunch } from "./launch-claims.ts";

/** A launch that first needs a sign-in in its own window. It is not stored here. */
export type LaunchTicket = Pick<ToldLaunch, "deployment_id" | "subject" | "name" | "context"> & {
  platform_id: number;
  university_id: number;
};

/** In seconds. */
const lifetime = 3600;

const purpose = "ticket of a launch by a platform of LTI";

type Parts = Pick<Deps, "config" | "now">;

/** Only this service can read the ticket, and its bearer can use it. */
export const sealTicket = (parts: Parts, ticket: LaunchTicket): Promise<string> =>
  seal(parts, purpose, lifetime, ticket);

/** 400 if the ticket expired, was changed or is not ours. */
export async function openTicket(parts: Parts, sealed: string, universityId?: number): Promise<LaunchTicket> {
  const ticket = await unseal<LaunchTicket>(parts, purpose, sealed);
  if (!ticket || (universityId !== undefined && ticket.university_id !== universityId))
    throw badRequest("launch_ticket_void");
  return ticket;
}
