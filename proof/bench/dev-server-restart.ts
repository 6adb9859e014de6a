import { spawn } from "node:child_process";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { freePort } from "../../scripts/dev/free-port.ts";
import { waitFor } from "../../scripts/ops/smoke/browser.ts";
import { type BenchVerdict, upperLimitVerdict } from "./report.ts";

/** Time until `npm run dev` responds, on an existing data folder. */
export async function benchDevServerRestart(): Promise<BenchVerdict[]> {
  const folder = await mkdtemp(path.join(tmpdir(), "learning-platform-start-"));
  await chmod(folder, 0o755);
  try {
    await secondsToStart(folder);
    return [upperLimitVerdict("npm run dev, second start", await secondsToStart(folder), 5, "seconds")];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function secondsToStart(folder: string): Promise<number> {
  const port = await freePort();
  const began = performance.now();
  const child = spawn("npm", ["run", "dev"], {
    env: { ...process.env, DATA_DIR: path.join(folder, "data"), PORT: String(port), DATABASE_URL: "" },
    stdio: "ignore",
    detached: true,
  });
  const exit = new Promise((resolve) => child.once("exit", resolve));
  try {
    if (!(await waitFor(`http://127.0.0.1:${port}`))) throw new Error("npm run dev did not answer");
    return (performance.now() - began) / 1000;
  } finally {
    // Signals the process group: npm does not forward signals.
    if (child.pid) process.kill(-child.pid, "SIGINT");
    await exit;
  }
}
