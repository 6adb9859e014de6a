import pg from "pg";

/** A statement as the driver was given it. */
export type Statement = { text: string; values: unknown[] };

/** The statements that `work` sends through `pg`'s pools, in their order: what the baseline then sends as well. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const sent: Statement[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = function record(this: pg.Client, ...args: unknown[]) {
    const [first, second] = args;
    const text = typeof first === "string" ? first : String(Reflect.get(Object(first), "text"));
    sent.push({ text, values: Array.isArray(second) ? second : [] });
    return Reflect.apply(query, this, args);
  } as typeof query;
  try {
    await work();
  } finally {
    pg.Client.prototype.query = query;
  }
  return sent;
}
