import { type SQL, sql } from "drizzle-orm";
import * as z from "zod";
import type { Pagination } from "../../../schema/api/platform/fields.ts";
import {
  PromptLinkOption,
  PromptNameId,
  type PromptPage,
  type PromptQuery,
  PromptSummary,
} from "../../../schema/api/tutor/prompts.ts";
import { toInstant } from "../../../schema/db/platform/columns.ts";
import { notFound } from "../../errors.ts";
import type { Db, ReadDb } from "../../platform/db/client.ts";
import { createPageQuery, createSortKey, RowWithPageKey } from "../../platform/db/query/page.ts";
import { rowsOf, StoredInstant } from "../../platform/db/query/rows.ts";
import type { ListPage } from "../../platform/results/list-page.ts";

const versions = sql`array(
  select version from prompts where prompts.name = prompt_names.name order by version)`;

const labels = sql`array(
  select label::text from prompt_labels where prompt_labels.name = prompt_names.name order by label)`;

/** Columns of a row of `prompt_names`. */
const summary = sql`name, type, ${versions} as versions, ${labels} as labels, tags, version as name_version,
  (select max(updated_at) from prompts where prompts.name = prompt_names.name) as last_updated_at`;

const Summary = PromptSummary.extend({ last_updated_at: StoredInstant });

const Listed = z.object({ data: z.array(Summary), total: z.int() });
const ListedAlone = z.object({ prompt: Summary });

/** By name, over all versions. */
export async function listPrompts(
  db: ReadDb,
  { page, page_size, ...filters }: PromptQuery,
): Promise<PromptPage> {
  const statement = sql`
    with picked as (select name from prompt_names where ${picks(filters)}), listed as (
      select ${summary}
      from prompt_names join picked using (name)
      order by name offset ${(page - 1) * page_size} limit ${page_size}
    )
    select (select count(*)::int from picked) as total,
           coalesce((select json_agg(listed order by name) from listed), '[]') as data`;
  const [listed] = await rowsOf(db, Listed, statement);
  const { data = [], total = 0 } = listed ?? {};
  return { data: data.map(withInstant), total, page, page_size };
}

/** 404 without such a name. */
export async function promptSummary(db: Db, name: string): Promise<PromptPage["data"][number]> {
  const [found] = await rowsOf(
    db,
    ListedAlone,
    sql`
    select row_to_json(one) as prompt from (select ${summary} from prompt_names where name = ${name}) as one`,
  );
  if (!found) throw notFound("Prompt");
  return withInstant(found.prompt);
}

function picks({ name, label, tag }: Omit<PromptQuery, "page" | "page_size">): SQL {
  const conditions = [
    name !== undefined && sql`strpos(lower(name), lower(${name})) > 0`,
    label !== undefined && sql`name in (select name from prompt_labels where label = ${label})`,
    tag !== undefined && sql`${tag} = any(tags)`,
  ];
  return sql.join([sql`true`, ...conditions.filter((condition) => condition !== false)], sql` and `);
}

const withInstant = (prompt: PromptPage["data"][number]) => ({
  ...prompt,
  last_updated_at: toInstant(prompt.last_updated_at),
});

const byName = [createSortKey(sql`name`, "text")];

const Label = z.object({ label: z.string() });

export async function listLabels(db: ReadDb, query: Pagination): Promise<ListPage<string>> {
  const page = createPageQuery(query, [createSortKey(sql`label`, "text")]);
  const statement = sql`
    select label, ${page.keyColumn} from (select distinct label from prompt_labels) as one ${page.tail()}`;
  return page.part(await rowsOf(db, Label.extend(RowWithPageKey.shape), statement)).map(({ label }) => label);
}

/** Sorted, with the id of the newest version. */
export async function listNames(db: ReadDb, query: Pagination): Promise<ListPage<PromptNameId>> {
  const page = createPageQuery(query, byName);
  const statement = sql`
    select name, prompt_id as id, ${page.keyColumn} from prompt_labels ${page.tail(sql`label = 'latest'`)}`;
  return page.part(await rowsOf(db, PromptNameId.extend(RowWithPageKey.shape), statement));
}

/** By name. */
export async function listLinkOptions(db: ReadDb, query: Pagination): Promise<ListPage<PromptLinkOption>> {
  const page = createPageQuery(query, byName);
  const statement = sql`
    select name, ${versions} as versions, ${labels} as labels, ${page.keyColumn} from prompt_names ${page.tail()}`;
  return page.part(await rowsOf(db, PromptLinkOption.extend(RowWithPageKey.shape), statement));
}
