import type { Person, Reply } from "./client.ts";
import type { DryRun } from "./dry-run.ts";

export type Caller = { name: string; person: Person | undefined; headers?: Record<string, string> };

/** A path of a read operation; `plain` is the same path without optional parameters. */
export type Address = { id: string; path: string; plain: string };

/** Responses by caller and path. */
export type Snapshot = ReadonlyMap<string, Address & { caller: Caller; reply: Reply }>;

/** Differ between equal requests. */
const ofRequests = new Set(["x-request-id", "server-timing", "date", "content-length"]);
/** Cursors are encrypted, and sign-ins begin with random values. */
const withSecrets = ["link", "location", "set-cookie"];

/** Such as ETag and Content-Disposition. */
export const headersOf = ({ headers }: Reply): Record<string, string> =>
  Object.fromEntries(
    [...headers]
      .filter(([name]) => !ofRequests.has(name))
      .map(([name, value]) => [
        name,
        withSecrets.includes(name) ? value.replaceAll(/[\w-]{12,}/g, "…") : value,
      ]),
  );

export const isSameReply = (one: Reply, other: Reply): boolean =>
  one.status === other.status &&
  one.text === other.text &&
  JSON.stringify(headersOf(one)) === JSON.stringify(headersOf(other));

type Callers = { all: readonly Caller[]; few: readonly Caller[] };

const isPlain = ({ path, plain }: Address): boolean => path === plain;

async function ask(dryRun: DryRun, { person, headers = {} }: Caller, path: string): Promise<Reply> {
  const reply = await dryRun.ask(person, { method: "GET", path, headers });
  if (reply.status >= 500) throw new Error(`${path}: ${reply.status} ${reply.text}`);
  return reply;
}

/**
 * Responses of plain addresses to all callers, and of others to the few who can read the plain one. Plain
 * addresses come before the others.
 */
export async function readAll(
  dryRun: DryRun,
  addresses: readonly Address[],
  { all, few }: Callers,
): Promise<Snapshot> {
  const found = new Map<string, Address & { caller: Caller; reply: Reply }>();
  for (const address of addresses)
    for (const caller of isPlain(address) ? all : few) {
      const plain = found.get(`${caller.name}: ${address.plain}`);
      if (plain && plain.reply.status >= 400) continue;
      const reply = await ask(dryRun, caller, address.path);
      found.set(`${caller.name}: ${address.path}`, { ...address, caller, reply });
    }
  return found;
}

/**
 * Reads again what was readable: as one of the callers with equal responses, another one each turn, and as
 * all of them if it changed. A turn reads one `part` of the addresses with optional parameters.
 */
export async function readAgain(
  dryRun: DryRun,
  former: Snapshot,
  { turn, parts = 1 }: { turn: number; parts?: number },
): Promise<Snapshot> {
  const readable = [...former].filter(([, { reply }]) => reply.status < 400);
  const alike = Map.groupBy(readable, ([, { path, reply }]) => `${path} ${reply.text}`);
  const latter = new Map(former);
  const isChanged = async ([request, one]: (typeof readable)[number]) => {
    const reply = await ask(dryRun, one.caller, one.path);
    latter.set(request, { ...one, reply });
    return !isSameReply(reply, one.reply);
  };
  for (const [at, group] of [...alike.values()].entries()) {
    const [chosen] = group.splice(turn % group.length, 1);
    if (!chosen || (!isPlain(chosen[1]) && at % parts !== turn % parts)) continue;
    if (await isChanged(chosen)) for (const other of group) await isChanged(other);
  }
  return latter;
}
