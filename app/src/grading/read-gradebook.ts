import { dataOf, type Schemas } from "learning-platform-client";
import { apiClient } from "../service.ts";
import { countCsvDataRows, joinCsvDroppingHeaders } from "./csv-parts.ts";

/** A row of a person. Rows by code exist only for single items. */
export type GradebookPersonRow = Schemas["GradebookRow"] & { user_id: number };
export type Gradebook = Omit<Schemas["Gradebook"], "rows"> & { rows: GradebookPersonRow[] };
type Asked = { q?: string; group?: string; wanted?: number; signal?: AbortSignal };

/** The API's page size. Courses with many items get fewer rows. */
const maxGradebookRowsPerRequest = 1000;

/** Reads the gradebook in pages up to `wanted` people (default: all). */
export async function fetchGradebookInPages(offering: number, asked: Asked = {}): Promise<Gradebook> {
  const { q, group, wanted = Number.POSITIVE_INFINITY, signal } = asked;
  const rows: Gradebook["rows"] = [];
  for (;;) {
    const limit = Math.min(wanted - rows.length, maxGradebookRowsPerRequest);
    const query = { skip: rows.length, limit, ...(q && { q }), ...(group && { group_id: Number(group) }) };
    const params = { path: { offering_id: offering }, query };
    const part = (await dataOf(
      apiClient.readGradebook({ params, ...(signal && { signal }) }),
    )) as Schemas["Gradebook"] as Gradebook;
    rows.push(...part.rows);
    if (part.rows.length === 0 || rows.length >= Math.min(wanted, part.total)) return { ...part, rows };
  }
}

/** The full gradebook as CSV for re-import. For an anonymous item only its rows, by code. */
export const fetchGradebookCsv = (offering: number, item?: number): Promise<string> =>
  fetchAllCsvPages((window) => {
    const query = { ...({ format: "csv", ...window } as const), ...(item && { content_item_id: item }) };
    const params = { path: { offering_id: offering }, query };
    return dataOf<unknown>(apiClient.readGradebook({ params, parseAs: "text" }));
  });

/** Reads a CSV in pages, until one has no rows. */
export async function fetchAllCsvPages(
  read: (window: { skip: number; limit: number }) => Promise<unknown>,
): Promise<string> {
  const parts: string[] = [];
  for (let skip = 0; ; ) {
    const part = String(await read({ skip, limit: maxGradebookRowsPerRequest }));
    parts.push(part);
    const count = countCsvDataRows(part);
    if (count === 0) return joinCsvDroppingHeaders(parts);
    skip += count;
  }
}
