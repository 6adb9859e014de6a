import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect: (how: { execution: "async" }) => Promise<void> = runInNewContext("gc");

/** The megabytes of this process's heap and buffers after garbage collection. */
export async function heldMegabytes(): Promise<number> {
  // Twice: a buffer's memory is freed after its object.
  await collect({ execution: "async" });
  await collect({ execution: "async" });
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 / 1024;
}
