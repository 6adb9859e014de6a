import type { DestinationStream } from "pino";

/** Rewrites each JSON line as `time LEVEL message key=value …`. */
export function toTextLogStream(destination: DestinationStream): DestinationStream {
  return {
    write(line: string) {
      const { level, timestamp, message, ...rest } = JSON.parse(line) as Record<string, unknown>;
      const fields = Object.entries(rest).map(([key, value]) => `${key}=${plain(value)}`);
      destination.write(`${[timestamp, level, message, ...fields].filter(Boolean).join(" ")}\n`);
    },
  };
}

const plain = (value: unknown): string =>
  typeof value === "string" && /^[^\s"\p{Cc}]+$/u.test(value) ? value : JSON.stringify(value);
