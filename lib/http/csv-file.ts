import type { Context } from "hono";

/** CSV as a file to save, named after the last part of the request's path. */
export function csvFile(http: Context, text: string): Response {
  const name = http.req.path.replace(/\/$/, "").split("/").at(-1);
  return http.body(text, 200, {
    "Content-Type": "text/csv; charset=utf-8",
    "Content-Disposition": `attachment; filename="${name}.csv"`,
  });
}
