/*
 * LTI postMessage Storage 0.1: a tool in a frame keeps small values in the page around it, since browsers may block its
 * own cookies. Each origin sees only its own values, until the page is left.
 */

const subjects = ["lti.capabilities", "lti.put_data", "lti.get_data"] as const;

const maxKeys = 20;
const longestKey = 255;
const longestValue = 4096;

export type ToolStorageByOrigin = Map<string, Map<string, string>>;

type Response = { subject: string; message_id: string } & Record<string, unknown>;

/** The response to a message; undefined for other messages. */
export function handleToolStorageMessage(
  storage: ToolStorageByOrigin,
  origin: string,
  data: unknown,
): Response | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  const { subject, message_id, key, value } = data as Record<string, unknown>;
  if (!subjects.some((one) => one === subject) || typeof message_id !== "string") return undefined;
  const answer = { subject: `${subject}.response`, message_id };
  if (subject === "lti.capabilities")
    return { ...answer, supported_messages: subjects.map((one) => ({ subject: one, frame: "_parent" })) };
  if (typeof key !== "string" || key.length > longestKey) return { ...answer, ...fault("key") };
  const own = storage.get(origin) ?? new Map<string, string>();
  if (subject === "lti.get_data") return { ...answer, key, value: own.get(key) ?? null };
  if (value === undefined || value === null) own.delete(key);
  else if (typeof value !== "string" || value.length > longestValue) return { ...answer, ...fault("value") };
  else if (!own.has(key) && own.size >= maxKeys)
    return { ...answer, error: { code: "storage_exhaustion", message: `at most ${maxKeys} keys` } };
  else own.set(key, value);
  storage.set(origin, own);
  return { ...answer, key, value: own.get(key) ?? null };
}

const fault = (field: string) => ({ error: { code: "bad_request", message: `${field} is invalid` } });
