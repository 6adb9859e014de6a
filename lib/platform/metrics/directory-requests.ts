import { sql } from "drizzle-orm";
import type { Db } from "../db/client.ts";
import { metricsReportSqlComment } from "./store.ts";

/** `path` is relative to SCIM's address. */
export type ScimRequestRecord = {
  api_key: number;
  key_hash: string;
  key_holds: boolean;
  at: Date;
  method: string;
  path: string;
  status: number;
  scim_type: string | undefined;
  detail: string | undefined;
  request: string;
};

/** Buffered in memory until metrics are reported. */
export type ScimRequestBuffer = {
  note(request: ScimRequestRecord): void;
  /** A failed write is retried by a later call. */
  store(db: Db): Promise<void>;
};

/** Stored requests per university, for successful and rejected ones each. */
export const maxScimRequestsPerUniversity = 100;

/** Between two reports, so guessed keys cannot crowd out others. */
const maxMeteredKeysPerReport = 500;

type Remembered = Map<string, ScimRequestRecord[]>;

export function createScimRequestBuffer(): ScimRequestBuffer {
  // Unverified keys may be invented, so they have a separate map.
  const known: Remembered = new Map();
  const unknown: Remembered = new Map();
  return {
    note(request) {
      const remembered = request.key_holds ? known : unknown;
      const of = `${request.api_key} ${request.key_hash} ${request.status >= 400}`;
      if (!remembered.has(of) && remembered.size >= maxMeteredKeysPerReport) return;
      remembered.set(of, [...(remembered.get(of) ?? []), request].slice(-maxScimRequestsPerUniversity));
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
 * Inserts a row per request of an existing key, valid or not; retries add nothing. Keeps only the
 * university's latest rows.
 */
async function writeRequests(db: Db, requests: readonly ScimRequestRecord[]): Promise<void> {
  await db.execute(sql`${sql.raw(metricsReportSqlComment)}
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
  await db.execute(sql`${sql.raw(metricsReportSqlComment)}
    delete from scim_requests where id in (
      select id from scim_requests where id in (
        select id from (
          select id, row_number() over (partition by university_id, status >= 400 order by asked_at desc, id desc) as nth
          from scim_requests
          where university_id in (select university_id from api_keys where id = any (${sql.param(keys)}::int[]))
        ) as numbered where nth > ${maxScimRequestsPerUniversity})
      order by id for update skip locked)`);
}
