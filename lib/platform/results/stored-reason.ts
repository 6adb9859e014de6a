import {
  type ErrorCode,
  errorWords,
  fillMessage,
  type MessageValue,
  type MessageValuesOf,
} from "../../error-codes.ts";
import type { HttpError } from "../../errors.ts";

/** As tables store it: code, then values as JSON. Screens translate the code. */
export type StoredReason = string & { readonly "": "StoredReason" };

export const storedReason = <Code extends ErrorCode>(
  code: Code,
  ...[values]: MessageValuesOf<Code>
): StoredReason => coded(code, values) as StoredReason;

export const reasonOf = ({ code, values }: HttpError): StoredReason => coded(code, values) as StoredReason;

export const coded = (code: string, values: Readonly<Record<string, MessageValue>> = {}): string =>
  Object.keys(values).length === 0 ? code : `${code} ${JSON.stringify(values, storable)}`;

/** PostgreSQL stores neither NUL nor unpaired surrogates. */
const storable = (_: string, value: unknown): unknown =>
  typeof value === "string" ? value.toWellFormed().replaceAll("\0", "") : value;

/** The code and the English message. Older versions stored messages, which have no code. */
export const readReason = (stored: string | null): { code: ErrorCode | null; reason: string | null } => {
  const { code, words } = readCoded(stored, errorWords);
  return { code, reason: words };
};

/** Reads what `coded` writes. Other texts stay as they are. */
export function readCoded<Code extends string>(
  stored: string | null,
  messages: Readonly<Record<Code, string>>,
): { code: Code | null; words: string | null } {
  const [, code, json] = /^([a-z0-9_]+)(?: (\{.*\}))?$/s.exec(stored ?? "") ?? [];
  if (code === undefined || !Object.hasOwn(messages, code)) return { code: null, words: stored };
  const values: Record<string, MessageValue> = json === undefined ? {} : JSON.parse(json);
  return { code: code as Code, words: fillMessage(messages[code as Code], values) };
}
