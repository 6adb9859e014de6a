import { openConnection } from "../../lib/platform/db/driver/connect.ts";
import { canRepeatStatement } from "../../lib/platform/db/unavailable.ts";

export type Load = { stop(): Promise<{ done: number; refused: string[] }> };

/** Sends a request again and again until it is stopped. A request that rejects was refused. */
export function startLoad(request: (turn: number) => Promise<unknown>): Load {
  let goesOn = true;
  let done = 0;
  const refused: string[] = [];
  const running = (async () => {
    for (let turn = 1; goesOn; turn += 1)
      await request(turn).then(
        () => {
          done += 1;
        },
        (error) => refused.push(String(error)),
      );
  })();
  return {
    async stop() {
      goesOn = false;
      await running;
      return { done, refused };
    },
  };
}

/**
 * Repeats a statement on a connection of its own, with the turn as `$1`. Retries after a deadlock, as the service
 * does, and waits for any lock.
 */
export async function startStatements(url: string, statement: string): Promise<Load> {
  const client = await openConnection(url);
  const send = async (turn: number): Promise<void> => {
    try {
      await client.query(statement, [turn]);
    } catch (error) {
      if (!canRepeatStatement(error, { repeatable: false })) throw new Error(`${statement}: ${error}`);
      await send(turn);
    }
  };
  const load = startLoad(send);
  return {
    async stop() {
      const sum = await load.stop();
      await client.end();
      return sum;
    },
  };
}

/** Stops the loads, which must have sent requests and had none refused. */
export async function stopUnrefused(loads: Load[]): Promise<void> {
  const sums = await Promise.all(loads.map((load) => load.stop()));
  const refused = sums.flatMap((sum) => sum.refused);
  const idle = sums.filter(({ done }) => done === 0).length;
  if (refused.length || idle) throw new Error(`${idle} loads sent nothing. Refused:\n${refused.join("\n")}`);
}
