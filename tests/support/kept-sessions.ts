import pg from "pg";

type Row = Record<string, unknown>;

/**
 * Pooled sessions, reset between statements. Connecting and reading the catalog takes longer than most
 * statements. Concurrent statements use separate sessions.
 */
export function keepSessions(url: string): {
  run(statement: string): Promise<Row[]>;
  close(): Promise<void>;
} {
  const idle: pg.Client[] = [];

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client(url);
    // A test may end the session or the server.
    const forget = () => {
      if (idle.includes(client)) idle.splice(idle.indexOf(client), 1);
    };
    client.on("error", forget).on("end", forget);
    await client.connect();
    return client;
  }

  /** Resets the session. A session with an open transaction cannot be reset, so it is closed. */
  const keep = (client: pg.Client) =>
    client.query("discard all").then(
      () => void idle.push(client),
      () => client.end(),
    );

  return {
    async run(statement) {
      const client = idle.pop() ?? (await connect());
      try {
        const { rows } = await client.query(statement);
        await keep(client);
        return rows;
      } catch (error) {
        await client.end();
        throw error;
      }
    },
    async close() {
      await Promise.all(idle.splice(0).map((client) => client.end()));
    },
  };
}
