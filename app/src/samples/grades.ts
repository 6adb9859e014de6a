import type { Schemas } from "learning-platform-client";
import type { SampleFile } from "./sample-file.ts";

type Book = Pick<Schemas["Gradebook"], "columns" | "rows">;

const maxSampledPeople = 3;

/** One point for the first learners in the first item, which must not be anonymous. Undefined without both. */
export function buildGradesCsvSample({ columns, rows }: Book): SampleFile | undefined {
  const item = columns.find(({ is_anonymous, max_points }) => !is_anonymous && max_points >= 1);
  const people = rows.filter(({ user_id }) => user_id !== null).slice(0, maxSampledPeople);
  if (!item || people.length === 0) return undefined;
  const header = ["user_id", "full_name", `${item.content_item_id} ${item.title}`];
  const lines = people.map(({ user_id, full_name }) => [`${user_id}`, full_name ?? "", "1"]);
  const content = [header, ...lines].map((cells) => `${cells.map(quoted).join()}\r\n`).join("");
  return { name: "grades.csv", format: "CSV", type: "text/csv", content };
}

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
