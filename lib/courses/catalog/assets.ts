import { type SQL, sql } from "drizzle-orm";
import type { Asset, AssetCreate, AssetUpdate } from "../../../schema/api/courses/assets.ts";
import { assets } from "../../../schema/db/courses/assets.ts";
import type { Actor } from "../../identity/auth/actor.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { rethrowMissingFile } from "../../platform/db/query/violations.ts";
import { attachableAssetFileCondition } from "../asset-files.ts";
import { universityOrPlatformCrudFactory } from "./owned-crud.ts";

const crudFor = universityOrPlatformCrudFactory(assets, "Asset", "asset", {
  searched: sql`concat_ws(' ', ${assets.search_text}, searched(${assets.file_name}))`,
  sorts: { id: [] },
});

type Row = Awaited<ReturnType<ReturnType<typeof crudFor>["get"]>>;

/**
 * File assets link to their content below `base`, the API's address. Deletion is always allowed: content
 * keeps its links. 400 for a file that the caller may not use.
 */
export function assetCrudFor(actor: Actor, base: string) {
  const rows = crudFor(actor);
  const answered = (row: Row): Asset => (row.file_id === null ? row : { ...row, url: base + row.url });
  return {
    get: async (db: ReadDb, id: number) => answered(await rows.get(db, id)),
    list: async (db: ReadDb, query: Parameters<typeof rows.list>[1]) =>
      (await rows.list(db, query)).map(answered),
    async create(db: Db, input: AssetCreate) {
      const { url = "", file_id, ...rest } = input;
      const given = file_id ? fileFor(actor, file_id, sql`${rest.university_id ?? null}::int`) : { url };
      return answered(await rows.create(db, { ...rest, ...given }).catch(rethrowMissingFile));
    },
    async update(db: Db, id: number, { url, file_id, ...rest }: AssetUpdate) {
      const linked = url === undefined ? {} : { url, file_id: null, file_name: null };
      const given = file_id ? fileFor(actor, file_id, sql`${assets.university_id}`) : linked;
      return answered(await rows.update(db, id, { ...rest, ...given }).catch(rethrowMissingFile));
    },
    remove: rows.remove,
  };
}

/** The database rejects a null name: the caller may not use the file. */
const fileFor = (actor: Actor, id: number, university: SQL) => ({
  url: `/files/${id}/content`,
  file_id: id,
  file_name: sql`(
    select name from files where files.id = ${id} and ${attachableAssetFileCondition(actor, university)})` as unknown as string,
});
