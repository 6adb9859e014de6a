import pg from "pg";

type Row = Record<string, unknown>;

/**
 * Sessions of a database that statements are run in, each like a new one: a connection, its process and all that this
 * first reads of the catalog take the server longer than most statements. Statements at once have a session each.
 */
export function keepSessions(url: string): {
  run(statement: string): Promise<Row[]>;
  close(): Promise<void>;
} {
  const idle: pg.Client[] = [];

  async function connect(): Promise<pg.Client> {
    const client = new pg.Client(url);
    // A test may end it, or the whole server.
    const forget = () => {
      if (idle.includes(client)) idle.splice(idle.indexOf(client), 1);
    };
    client.on("error", forget).on("end", forget);
    await client.connect();
    return client;
  }

  /** Makes it like a new one again; one that was left in a transaction cannot be, and ends with it. */
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
