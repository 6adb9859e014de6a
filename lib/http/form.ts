import type { HandlerInput } from "./endpoint.ts";

/** The last value of each field. Empty for other content types. */
export async function parseFormBody({ http }: Pick<HandlerInput, "http">): Promise<Record<string, string>> {
  const [type = ""] = (http.req.header("content-type") ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/x-www-form-urlencoded") return {};
  return Object.fromEntries(new URLSearchParams(await http.req.text()));
}
