import type { Context } from "hono";

/** A download named after the path's last segment. */
export function csvFileResponse(http: Context, text: string, headers: Record<string, string> = {}): Response {
  const name = http.req.path.replace(/\/$/, "").split("/").at(-1);
  return http.body(text, 200, {
    ...headers,
    "Content-Type": "text/csv; charset=utf-8",
    "Content-Disposition": `attachment; filename="${name}.csv"`,
  });
}
