import type { Call } from "./endpoint.ts";

/** The fields of a form, of which the last counts; none of what is not sent as one. */
export async function formOf({ http }: Pick<Call, "http">): Promise<Record<string, string>> {
  const [type = ""] = (http.req.header("content-type") ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/x-www-form-urlencoded") return {};
  return Object.fromEntries(new URLSearchParams(await http.req.text()));
}
