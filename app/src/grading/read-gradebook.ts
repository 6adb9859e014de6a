import { dataOf, type Schemas } from "learning-platform-client";
import { api } from "../service.ts";
import { joinedCsv, linesIn } from "./csv-parts.ts";

/** A line of a person; those of codes are of one item alone. */
export type PersonRow = Schemas["GradebookRow"] & { user_id: number };
export type Gradebook = Omit<Schemas["Gradebook"], "rows"> & { rows: PersonRow[] };
type Asked = { q?: string; group?: string; wanted?: number; signal?: AbortSignal };

/** As many people as the service gives at once; of a course with many items it gives fewer. */
const mostAtOnce = 1000;

/** An offering's gradebook with as many people as are wanted, read in parts; with everyone, if it is not said how many. */
export async function readGradebook(offering: number, asked: Asked = {}): Promise<Gradebook> {
  const { q, group, wanted = Number.POSITIVE_INFINITY, signal } = asked;
  const rows: Gradebook["rows"] = [];
  for (;;) {
    const limit = Math.min(wanted - rows.length, mostAtOnce);
    const query = { skip: rows.length, limit, ...(q && { q }), ...(group && { group_id: Number(group) }) };
    const params = { path: { offering_id: offering }, query };
    const part = (await dataOf(
      api.readGradebook({ params, ...(signal && { signal }) }),
    )) as Schemas["Gradebook"] as Gradebook;
    rows.push(...part.rows);
    if (part.rows.length === 0 || rows.length >= Math.min(wanted, part.total)) return { ...part, rows };
  }
}

/** The same for everyone as CSV, as an import takes it; of an item that is graded anonymously alone, by code. */
export async function readGradebookCsv(offering: number, item?: number): Promise<string> {
  const parts: string[] = [];
  for (let skip = 0; ; ) {
    const query = {
      ...({ format: "csv", skip, limit: mostAtOnce } as const),
      ...(item && { content_item_id: item }),
    };
    const params = { path: { offering_id: offering }, query };
    const part = (await dataOf<unknown>(api.readGradebook({ params, parseAs: "text" }))) as string;
    parts.push(part);
    const count = linesIn(part);
    if (count === 0) return joinedCsv(parts);
    skip += count;
  }
}
