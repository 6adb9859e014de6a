import { randomBytes } from "node:crypto";
import type { Deps } from "../../deps.ts";
import { badRequest } from "../../errors.ts";
import { sealToken, unsealToken } from "../../identity/auth/sealing.ts";
import { fingerprint } from "../../platform/text/fingerprint.ts";
import type { ParsedLaunchClaims } from "./launch-claims.ts";

/** A launch that first needs a sign-in in its own window. It is not stored here. */
export type LaunchTicket = Pick<ParsedLaunchClaims, "deployment_id" | "subject" | "name" | "context"> & {
  platform_id: number;
  university_id: number;
  /** SHA-256 of a key that only the browser of the launch has. */
  key_hash: string;
};

/** Screens of the application that need a ticket. */
export const ticketScreens = ["connect", "sign-in"] as const;
export type TicketScreen = (typeof ticketScreens)[number];

export type TicketAndKey = { ticket: string; key: string };

/** In seconds. */
export const launchTicketLifetimeSeconds = 3600;

const purpose = "ticket of a launch by a platform of LTI";

type Parts = Pick<Deps, "config" | "now">;

/** Only this service reads the ticket. Linking an account also needs the key. */
export async function encryptLaunchTicket(
  parts: Parts,
  launch: Omit<LaunchTicket, "key_hash">,
): Promise<TicketAndKey> {
  const key = randomBytes(24).toString("base64url");
  const content = { ...launch, key_hash: fingerprint(key) } satisfies LaunchTicket;
  return { ticket: await sealToken(parts, purpose, launchTicketLifetimeSeconds, content), key };
}

/** 400 if the ticket expired, was changed or is not ours. */
export async function decryptLaunchTicket(
  parts: Parts,
  sealed: string,
  universityId?: number,
): Promise<LaunchTicket> {
  const ticket = await unsealToken<LaunchTicket>(parts, purpose, sealed);
  if (!ticket || (universityId !== undefined && ticket.university_id !== universityId))
    throw badRequest("launch_ticket_void");
  return ticket;
}

/** The browser's key by the ticket's name. */
export type TicketKeyLookup = (name: string) => string | undefined;

/** 400 also without the ticket's key: another person's link must not link the caller's account to theirs. */
export async function openLaunchTicketWithKey(
  parts: Parts,
  sealed: string,
  keyOf: TicketKeyLookup,
  universityId?: number,
): Promise<LaunchTicket> {
  const ticket = await decryptLaunchTicket(parts, sealed, universityId);
  if (fingerprint(keyOf(launchTicketName(ticket)) ?? "") !== ticket.key_hash)
    throw badRequest("launch_ticket_void");
  return ticket;
}

/** Tickets of several tabs have different names. */
export const launchTicketName = ({ key_hash }: Pick<LaunchTicket, "key_hash">): string =>
  key_hash.slice(0, 16);
