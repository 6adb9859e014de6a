import { setTimeout as sleep } from "node:timers/promises";
import { type ServerProcess, startServerProcess } from "../../tests/support/server-process.ts";
import type { SeededRandom } from "./rng.ts";

type Slot = { process: ServerProcess | undefined; frozen: boolean };

/** Server processes behind a simple load balancer: requests go to any live process, including frozen ones. */
export class LoadBalancedServers {
  readonly #slots: Slot[] = [];
  #isOpen = true;
  readonly #start: () => Promise<ServerProcess>;

  constructor(databaseUrl: string, llmUrl: string, onLog: (line: string) => void) {
    this.#start = () => startServerProcess(databaseUrl, llmUrl, onLog);
  }

  async open(processes: number): Promise<void> {
    const started = await Promise.all(Array.from({ length: processes }, this.#start));
    this.#slots.push(...started.map((process) => ({ process, frozen: false })));
  }

  /** The address of a server; waits if there is none, and throws after closing. */
  async any(rng: SeededRandom): Promise<string> {
    for (;;) {
      if (!this.#isOpen) throw new Error("The run is over");
      const [first, ...more] = this.#slots.flatMap(({ process }) => process ?? []);
      if (first) return `${rng.pick([first, ...more]).url}/api/v1`;
      await sleep(50);
    }
  }

  /** Kills a server without warning, and starts another; false if there is none. */
  async kill(rng: SeededRandom): Promise<boolean> {
    const slot = this.#choose(rng);
    if (!slot?.process) return false;
    const { process } = slot;
    slot.process = undefined;
    await process.kill();
    slot.process = await this.#start();
    return true;
  }

  /** Freezes a server for that many milliseconds; false if there is none. */
  async freeze(rng: SeededRandom, milliseconds: number): Promise<boolean> {
    const slot = this.#choose(rng);
    if (!slot?.process) return false;
    const { process } = slot;
    slot.frozen = true;
    process.freeze();
    await sleep(milliseconds);
    process.thaw();
    slot.frozen = false;
    return true;
  }

  async close(): Promise<void> {
    this.#isOpen = false;
    await Promise.all(this.#slots.map(({ process }) => process?.kill()));
  }

  /** Leaves one of several servers running, because processes may start slowly. */
  #choose(rng: SeededRandom): Slot | undefined {
    const [first, ...more] = this.#slots.filter(({ process, frozen }) => process && !frozen);
    const isLast = more.length === 0 && this.#slots.length > 1;
    return first && !isLast ? rng.pick([first, ...more]) : undefined;
  }
}
