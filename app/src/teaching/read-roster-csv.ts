import { pagesOf } from "learning-platform-client";
import { joinCsvDroppingHeaders } from "../grading/csv-parts.ts";
import { apiClient } from "../service.ts";

type Query = NonNullable<Parameters<typeof apiClient.listCourseOfferingEnrollments>[0]["params"]["query"]>;
type Asked = { q: string; group: string; sort: NonNullable<Query["sort"]> };

/** Reads all pages of a roster as CSV. */
export async function readRosterCsv(
  path: { course_id: number; offering_id: number },
  { q, group, sort }: Asked,
): Promise<string> {
  const narrowed = { ...(q && { q }), ...(group && { group_id: Number(group) }) };
  const query = { format: "csv", limit: 1000, sort, ...narrowed } as const;
  const pages = pagesOf(apiClient.listCourseOfferingEnrollments, {
    params: { path, query },
    parseAs: "text",
  });
  const parts: string[] = [];
  for await (const part of pages) parts.push(part as unknown as string);
  return joinCsvDroppingHeaders(parts);
}
