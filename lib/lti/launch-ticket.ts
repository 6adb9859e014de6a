import { seal, unseal } from "../auth/sealing.ts";
import type { Deps } from "../deps.ts";
import { badRequest } from "../errors.ts";
import type { ToldLaunch } from "./launch-claims.ts";

/** What a launch told that takes a sign-in in a window of our own first. Nothing of it is stored here. */
export type LaunchTicket = Pick<ToldLaunch, "deployment_id" | "subject" | "name" | "context"> & {
  platform_id: number;
  university_id: number;
};

/** How long that may take, in seconds. */
const lifetime = 3600;

const purpose = "ticket of a launch by a platform of LTI";

type Parts = Pick<Deps, "config" | "now">;

/** A ticket says nothing to anyone but this service, and can be used by whoever has it. */
export const sealTicket = (parts: Parts, ticket: LaunchTicket): Promise<string> =>
  seal(parts, purpose, lifetime, ticket);

/** What a ticket says that was made for that university; 400 for one that has expired, was changed or is not ours. */
export async function openTicket(parts: Parts, sealed: string, universityId?: number): Promise<LaunchTicket> {
  const ticket = await unseal<LaunchTicket>(parts, purpose, sealed);
  if (!ticket || (universityId !== undefined && ticket.university_id !== universityId))
    throw badRequest("launch_ticket_void");
  return ticket;
}
