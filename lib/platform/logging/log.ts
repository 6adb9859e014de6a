import { type DestinationStream, type Logger, pino } from "pino";
import type { Config } from "../../config.ts";
import { currentRequest } from "../async/request-context.ts";
import { createSecretRedactor, type SecretSettings } from "../secrets/hide-secrets.ts";
import { toTextLogStream } from "./log-text.ts";

export type { DestinationStream, Logger } from "pino";

export type LogSettings = Pick<Config, "LOG_LEVEL" | "LOG_FORMAT"> & Partial<SecretSettings>;

const levelNames: Record<string, string> = { warn: "WARNING", fatal: "ERROR" };

/**
 * One JSON object per line, or text with `LOG_FORMAT=text`. Fields are chosen one by one, so passwords,
 * tokens, keys and messages are never logged. Redacts anything that looks like a secret. Adds the request's
 * id.
 */
export function createLog(config: LogSettings, destination: DestinationStream = process.stdout): Logger {
  const options = {
    level: config.LOG_LEVEL === "WARNING" ? "warn" : config.LOG_LEVEL.toLowerCase(),
    base: null,
    mixin: () => ({ request_id: currentRequest()?.request_id }),
    messageKey: "message",
    errorKey: "error",
    timestamp: () => `,"timestamp":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: levelNames[label] ?? label.toUpperCase() }) },
    serializers: { error: (value: unknown) => (value instanceof Error ? describeError(value) : value) },
    hooks: { streamWrite: createSecretRedactor(config) },
  };
  return pino(options, config.LOG_FORMAT === "text" ? toTextLogStream(destination) : destination);
}

/** PostgreSQL's error fields. `detail` and `where` contain values. */
type DatabaseError = Error & { severity?: string; code?: unknown; constraint?: string; table?: string };

/**
 * Without values. Drizzle adds parameters to messages, and PostgreSQL quotes values: of a failed query only
 * the statement and fields without values remain.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error };
  const { code, severity, constraint, table, query } = error as DatabaseError & { query?: unknown };
  const cause = error.cause === undefined ? undefined : describeError(error.cause);
  const message = severity === undefined ? error.message : error.message.replaceAll(/"[^"]*"/g, '"…"');
  return {
    name: error.name,
    ...(typeof query === "string" ? { query } : { message }),
    ...(code !== undefined && { code }),
    ...(constraint && { constraint }),
    ...(table && { table }),
    stack: framesOf(error),
    ...(cause && { cause }),
  };
}

const framesOf = ({ stack = "" }: Error): string[] => stack.match(/(?<=^ {4}at ).+$/gm)?.slice(0, 10) ?? [];
