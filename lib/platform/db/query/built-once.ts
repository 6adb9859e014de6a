import { type SQL, sql } from "drizzle-orm";
import { PgDialect } from "drizzle-orm/pg-core";

const dialect = new PgDialect();

/**
 * Builds the SQL of an object once, as text if it has no parameters. Cached by the object from its second use on,
 * so pass a constant: building costs more than most of a list request.
 */
export function builtOnce<Key extends WeakKey>(build: (key: Key) => SQL): (key: Key) => SQL {
  const known = new WeakMap<Key, SQL | undefined>();
  return (key) => {
    const kept = known.get(key);
    if (kept) return kept;
    const built = build(key);
    known.set(key, known.has(key) ? asText(built) : undefined);
    return built;
  };
}

function asText(built: SQL): SQL {
  const { sql: text, params } = dialect.sqlToQuery(built);
  return params.length === 0 ? sql.raw(text) : built;
}
