import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
type Collect = {
  (how: { execution: "async" }): Promise<void>;
  (how: { type: "minor" | "major" }): void;
};
export const collect: Collect = runInNewContext("gc");

/** The megabytes of this process's heap and buffers after garbage collection. */
export async function heldMegabytes(): Promise<number> {
  // Twice: a buffer's memory is freed after its object.
  await collect({ execution: "async" });
  await collect({ execution: "async" });
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 / 1024;
}

/** The heap's bytes after two minor collections, which free only the young generation. */
export function bytesAfterMinorCollections(): number {
  collect({ type: "minor" });
  collect({ type: "minor" });
  return getHeapStatistics().used_heap_size;
}
