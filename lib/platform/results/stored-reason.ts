import {
  type ErrorCode,
  errorMessageTemplates,
  fillMessage,
  type MessageValue,
  type MessageValuesFor,
} from "../../error-codes.ts";
import type { HttpError } from "../../errors.ts";

/** As tables store it: code, then values as JSON. Screens translate the code. */
export type StoredReason = string & { readonly "": "StoredReason" };

export const encodeStoredReason = <Code extends ErrorCode>(
  code: Code,
  ...[values]: MessageValuesFor<Code>
): StoredReason => encodeCodeAndValues(code, values) as StoredReason;

export const httpErrorToStoredReason = ({ code, values }: HttpError): StoredReason =>
  encodeCodeAndValues(code, values) as StoredReason;

export const encodeCodeAndValues = (
  code: string,
  values: Readonly<Record<string, MessageValue>> = {},
): string => (Object.keys(values).length === 0 ? code : `${code} ${JSON.stringify(values, storable)}`);

/** PostgreSQL stores neither NUL nor unpaired surrogates. */
const storable = (_: string, value: unknown): unknown =>
  typeof value === "string" ? value.toWellFormed().replaceAll("\0", "") : value;

/** The code and the English message. Older versions stored messages, which have no code. */
export const decodeStoredReason = (
  stored: string | null,
): { code: ErrorCode | null; reason: string | null } => {
  const { code, words } = decodeCodeAndMessage(stored, errorMessageTemplates);
  return { code, reason: words };
};

/** Reads what `coded` writes. Other texts stay as they are. */
export function decodeCodeAndMessage<Code extends string>(
  stored: string | null,
  messages: Readonly<Record<Code, string>>,
): { code: Code | null; words: string | null } {
  const [, code, json] = /^([a-z0-9_]+)(?: (\{.*\}))?$/s.exec(stored ?? "") ?? [];
  if (code === undefined || !Object.hasOwn(messages, code)) return { code: null, words: stored };
  const values: Record<string, MessageValue> = json === undefined ? {} : JSON.parse(json);
  return { code: code as Code, words: fillMessage(messages[code as Code], values) };
}
