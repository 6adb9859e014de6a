import { type Tokens, tokensOf } from "./auth/tokens.ts";
import type { Config } from "./config.ts";
import { connectDatabase, type Database, type Db } from "./db/client.ts";
import { type LlmProvider, refusingProvider } from "./llm/provider.ts";
import { createLog, type Logger } from "./log.ts";

/** What the code of a request may reach of the world around it; wired once for each container. */
export type Deps = {
  config: Config;
  db: Db;
  now: () => Date;
  log: Logger;
  tokens: Tokens;
  llm: LlmProvider;
};

/** Parts that a caller brings: the chat function its LLM provider, tests a cloned database and a frozen clock. */
export type OwnParts = Partial<Pick<Deps, "now" | "log" | "llm">> & { database?: Database };

/** Wires the dependencies from the settings. `close` ends the connections. */
export function wire(config: Config, own: OwnParts = {}): Deps & { close(): Promise<void> } {
  const log = own.log ?? createLog(config);
  const now = own.now ?? (() => new Date());
  const database = own.database ?? connectDatabase(databaseOptions(config, log));
  return {
    config,
    log,
    now,
    db: database.db,
    tokens: tokensOf(config, now),
    llm: own.llm ?? refusingProvider("this function has no LLM provider"),
    close: () => database.close(),
  };
}

function databaseOptions(config: Config, log: Logger): Parameters<typeof connectDatabase>[0] {
  return {
    url: config.DATABASE_URL,
    max: config.DATABASE_POOL_SIZE,
    log,
    ...(config.NEON_LOCAL_PROXY && { neonProxy: config.NEON_LOCAL_PROXY }),
    onQuery({ text, duration_ms, failed }) {
      if (config.DATABASE_ECHO) log.info({ text, duration_ms, failed }, "query");
      else if (duration_ms >= config.SLOW_QUERY_THRESHOLD_MS)
        log.warn({ text, duration_ms, failed }, "slow query");
    },
  };
}
