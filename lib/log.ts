import { type DestinationStream, type Logger, pino } from "pino";
import type { Config } from "./config.ts";

export type { Logger } from "pino";

const levelNames: Record<string, string> = { warn: "WARNING", fatal: "ERROR" };

/**
 * The service's log: one JSON object a line, or `LOG_FORMAT=text` for people.
 * Passwords, tokens, keys and message contents never reach it: what is logged is named field by field.
 */
export function createLog(
  config: Pick<Config, "LOG_LEVEL" | "LOG_FORMAT">,
  destination: DestinationStream = process.stdout,
): Logger {
  const options = {
    level: config.LOG_LEVEL === "WARNING" ? "warn" : config.LOG_LEVEL.toLowerCase(),
    base: null,
    messageKey: "message",
    errorKey: "error",
    timestamp: () => `,"timestamp":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: levelNames[label] ?? label.toUpperCase() }) },
  };
  return pino(options, config.LOG_FORMAT === "text" ? asText(destination) : destination);
}

/** Rewrites each JSON line as `time LEVEL message key=value …`. */
function asText(destination: DestinationStream): DestinationStream {
  return {
    write(line: string) {
      const { level, timestamp, message, ...rest } = JSON.parse(line) as Record<string, unknown>;
      const fields = Object.entries(rest).map(([key, value]) => `${key}=${plain(value)}`);
      destination.write(`${[timestamp, level, message, ...fields].filter(Boolean).join(" ")}\n`);
    },
  };
}

const plain = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

/**
 * An error as the log may show it. Drizzle puts a statement's parameters into its messages, and PostgreSQL puts
 * values into its details, so of a failed query only the statement and the server's code and message are kept.
 */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error };
  const { code, query } = error as { code?: unknown; query?: unknown };
  const cause = error.cause === undefined ? undefined : describeError(error.cause);
  const ofQuery = typeof query === "string";
  return {
    name: error.name,
    ...(ofQuery ? { query } : { message: error.message, stack: error.stack }),
    ...(code !== undefined && { code }),
    ...(cause && { cause }),
  };
}
