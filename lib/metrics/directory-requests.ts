import { sql } from "drizzle-orm";
import type { Db } from "../db/client.ts";
import { reportMark } from "./store.ts";

/** What a directory asked with a key, and what it was answered; `path` is below the address of SCIM. */
export type DirectoryRequest = {
  api_key: number;
  key_hash: string;
  /** Whether there is such a key, as far as was looked. */
  key_holds: boolean;
  at: Date;
  method: string;
  path: string;
  status: number;
  scim_type: string | undefined;
  detail: string | undefined;
  request: string;
};

/** What directories asked last, kept in memory until the metrics are reported: it costs no request anything. */
export type DirectoryRequests = {
  /** Notes a request; of a key the last ones alone. */
  note(request: DirectoryRequest): void;
  /** Writes what was noted since the last time; what cannot be written now is written by a later call. */
  store(db: Db): Promise<void>;
};

/** As many are kept of a university, of what was done and of what was refused. */
export const mostOfEach = 100;

/** Of so many keys something is remembered between two reports; whoever guesses keys crowds out no others. */
const mostKeys = 500;

type Remembered = Map<string, DirectoryRequest[]>;

export function createDirectoryRequests(): DirectoryRequests {
  // A key that does not hold, or was not looked up, is one that somebody wrote: those have a place of their own.
  const known: Remembered = new Map();
  const unknown: Remembered = new Map();
  return {
    note(request) {
      const remembered = request.key_holds ? known : unknown;
      const of = `${request.api_key} ${request.key_hash} ${request.status >= 400}`;
      if (!remembered.has(of) && remembered.size >= mostKeys) return;
      remembered.set(of, [...(remembered.get(of) ?? []), request].slice(-mostOfEach));
    },
    async store(db) {
      const unwritten = [...known.values(), ...unknown.values()].flat();
      if (unwritten.length === 0) return;
      await writeRequests(db, unwritten);
      const written = new Set(unwritten);
      for (const remembered of [known, unknown])
        for (const [of, requests] of remembered) {
          const left = requests.filter((one) => !written.has(one));
          if (left.length > 0) remembered.set(of, left);
          else remembered.delete(of);
        }
    },
  };
}

/**
 * A row for each request of a key that there is, whether or not it holds any more: what is sent again adds nothing. Then
 * those go that are older than the last ones of their university.
 */
async function writeRequests(db: Db, requests: readonly DirectoryRequest[]): Promise<void> {
  await db.execute(sql`${sql.raw(reportMark)}
    insert into scim_requests (
      university_id, api_key_id, asked_at, method, path, status, scim_type, detail, request_id)
    select key.university_id, key.id, one.at, one.method, one.path, one.status, one.scim_type, one.detail, one.request
    from jsonb_to_recordset(${JSON.stringify(requests)}::jsonb) as one (
      api_key int, key_hash text, at timestamptz, method text, path text, status int, scim_type text, detail text,
      request text)
    join api_keys as key on key.id = one.api_key and key.key_hash = one.key_hash and 'scim' = any (key.scopes)
    order by one.at
    on conflict do nothing`);
  const keys = [...new Set(requests.map(({ api_key }) => api_key))];
  await db.execute(sql`${sql.raw(reportMark)}
    delete from scim_requests where id in (
      select id from scim_requests where id in (
        select id from (
          select id, row_number() over (partition by university_id, status >= 400 order by asked_at desc, id desc) as nth
          from scim_requests
          where university_id in (select university_id from api_keys where id = any (${sql.param(keys)}::int[]))
        ) as numbered where nth > ${mostOfEach})
      order by id for update skip locked)`);
}
