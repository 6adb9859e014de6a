import * as z from "zod";
import type { PlatformServiceDeps, PlatformTokenEndpoint } from "./access-tokens.ts";
import { type LaunchedRole, mapLaunchRolesToCourseRole } from "./launch-roles.ts";
import { callPlatformService } from "./service-call.ts";
import { ServiceFailure } from "./service-failure.ts";
import { rosterScope } from "./service-scopes.ts";

/** Platforms may return fewer. */
const pageSize = 500;
const maxRosterPages = 2000;
const maxRosterMembers = 50_000;

const told = z.string().max(255).nullish().catch(undefined);

const MemberLine = z.object({
  user_id: z.string().regex(/^[\x20-\x7e]{1,255}$/),
  status: z.string().optional(),
  roles: z.array(z.string()).max(100).catch([]),
  name: told,
  given_name: told,
  family_name: told,
  email: z.email().max(255).nullish().catch(undefined),
  lis_person_sourcedid: told,
});

const Page = z.object({ members: z.array(z.unknown()) });

/** In the format of a launch. */
export type RosterMember = {
  subject: string;
  name?: string | undefined;
  email?: string | undefined;
  sourced_id?: string | undefined;
  role: LaunchedRole;
};

/** Read to its last page. */
export type Roster = {
  members: RosterMember[];
  /** Members that the roster lists as inactive or without a role here. */
  absent: Set<string>;
  unreadable: number;
  differences_url: string | undefined;
};

type Source = { address: string; staffByInstitutionRole: boolean; signal?: AbortSignal | undefined };

/**
 * Reads all pages; repeated members are merged with all roles. Throws `ServiceFailure` if any page fails,
 * leads to another site or repeats: absent members are then unknown.
 */
export async function fetchLtiRoster(
  parts: PlatformServiceDeps,
  platform: PlatformTokenEndpoint,
  { address, staffByInstitutionRole, signal }: Source,
): Promise<Roster> {
  const lines = new Map<string, { line: z.output<typeof MemberLine>; isThere: boolean; roles: string[] }>();
  const read = new Set<string>();
  let unreadable = 0;
  let differences_url: string | undefined;
  for (let next: string | undefined = withLimit(address); next; ) {
    if (read.has(next) || read.size >= maxRosterPages)
      throw new ServiceFailure("it has too many pages", "refused");
    read.add(next);
    const page = await readPage(parts, platform, next, signal);
    for (const one of page.members) {
      const { data: line } = MemberLine.safeParse(one);
      if (!line) unreadable += 1;
      else {
        const former = lines.get(line.user_id);
        const isThere = !line.status || line.status.toLowerCase() === "active";
        lines.set(line.user_id, {
          line: isThere || !former ? line : former.line,
          isThere: isThere || (former?.isThere ?? false),
          roles: isThere ? [...(former?.roles ?? []), ...line.roles] : (former?.roles ?? []),
        });
      }
    }
    if (lines.size > maxRosterMembers)
      throw new ServiceFailure("it names more than 50 000 people", "refused");
    differences_url = page.differences ?? differences_url;
    next = page.next;
  }
  const absent = new Set<string>();
  const members: RosterMember[] = [];
  for (const { line, isThere, roles } of lines.values()) {
    const role = isThere ? mapLaunchRolesToCourseRole(roles, staffByInstitutionRole) : undefined;
    if (role) members.push(memberOf(line, role));
    else absent.add(line.user_id);
  }
  return { members, absent, unreadable, differences_url };
}

function memberOf(line: z.output<typeof MemberLine>, role: LaunchedRole): RosterMember {
  const name = line.name || [line.given_name, line.family_name].filter(Boolean).join(" ");
  return {
    subject: line.user_id,
    name: plain(name) || undefined,
    email: line.email ?? undefined,
    sourced_id: plain(line.lis_person_sourcedid ?? "") || undefined,
    role,
  };
}

/** Removes characters that Postgres text cannot store. */
const plain = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Cs}]/gu, "")
    .trim()
    .slice(0, 255);

async function readPage(
  parts: PlatformServiceDeps,
  platform: PlatformTokenEndpoint,
  address: string,
  signal: AbortSignal | undefined,
) {
  const accept = "application/vnd.ims.lti-nrps.v2.membershipcontainer+json";
  const answer = await callPlatformService(parts, platform, { address, scope: rosterScope, accept, signal });
  const { data } = Page.safeParse(await answer.json().catch(() => undefined));
  if (!data) throw new ServiceFailure("it did not return a roster", "later");
  const links = parseLinkHeader(answer.headers.get("link") ?? "");
  const leadsTo = (rel: string): string | undefined => {
    const found = links.get(rel);
    if (found === undefined) return undefined;
    const target = URL.canParse(found, address) ? new URL(found, address) : undefined;
    // The token must only go to the platform.
    if (target?.origin !== new URL(address).origin)
      throw new ServiceFailure("its next page is at another address", "refused");
    return target.href;
  };
  return { members: data.members, next: leadsTo("next"), differences: leadsTo("differences") };
}

/** URLs of a `Link` header (RFC 8288) by relation. */
export function parseLinkHeader(header: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, address = "", parameters = ""] of header.matchAll(/<([^<>]*)>((?:\s*;[^,<]*)*)/g)) {
    const [, rel = ""] = /;\s*rel\s*=\s*"?([^";]+)"?/i.exec(parameters) ?? [];
    for (const name of rel.trim().toLowerCase().split(/\s+/)) if (!found.has(name)) found.set(name, address);
  }
  return found;
}

function withLimit(address: string): string {
  if (!URL.canParse(address)) return address;
  const url = new URL(address);
  if (!url.searchParams.has("limit")) url.searchParams.set("limit", String(pageSize));
  return url.href;
}
