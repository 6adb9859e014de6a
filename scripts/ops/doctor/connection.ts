import { connect } from "node:net";
import { type Finding, ok, wrong } from "./finding.ts";

/** Timeout of each check, in milliseconds. */
export const timeoutMs = 5000;

/** Checks that a connection opens, without sending a key or request. */
export async function checkConnection(name: string, url: string, settings: string): Promise<Finding> {
  const problem = await connectionProblem(url);
  const { host } = new URL(url);
  if (!problem) return ok(`${name} can be reached at ${host}`);
  return wrong(
    `${name} cannot be reached at ${host}: ${problem}`,
    `check ${settings}, and the network's rules`,
  );
}

const usualPorts: Record<string, number> = { "http:": 80, "https:": 443, "smtp:": 587, "smtps:": 465 };

/** Why a connection fails; undefined if it opens. */
function connectionProblem(url: string): Promise<string | undefined> {
  const { hostname, port, protocol } = new URL(url);
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port) || (usualPorts[protocol] ?? 443),
  });
  socket.setTimeout(timeoutMs);
  return new Promise((resolve) => {
    const end = (problem?: string) => {
      socket.destroy();
      resolve(problem);
    };
    socket.once("connect", () => end());
    socket.once("timeout", () => end(`no answer within ${timeoutMs / 1000} s`));
    socket.once("error", (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
  });
}
