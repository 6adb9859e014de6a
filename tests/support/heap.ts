import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect: (how: { execution: "async" }) => Promise<void> = runInNewContext("gc");

/** The megabytes of this process's heap and buffers that are held; what nobody holds is collected before. */
export async function heldMegabytes(): Promise<number> {
  // Twice: a buffer's memory is given back after the object that had it.
  await collect({ execution: "async" });
  await collect({ execution: "async" });
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 / 1024;
}
