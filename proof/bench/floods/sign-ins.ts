import { hashPassword } from "../../../lib/identity/auth/password-hashes.ts";
import { type FloodScenario, repeatRequestsUntilAborted } from "./bystander-waits.ts";
import {
  bystanderIpAddress,
  createProfileReadProbe,
  type FloodEnvironment,
  floodingIpAddress,
} from "./environment.ts";
import { expectSuccessStatus } from "./http-client.ts";

const connections = 120;

const password = "a password of the bench";

/**
 * Wrong passwords from many connections of one network, each for another account, fill the hashing queue.
 * Then they hang up, and their hashes must be skipped: another user of that network signs in.
 */
export async function createWrongPasswordsFlood(stage: FloodEnvironment): Promise<FloodScenario> {
  const { caller, deps, make } = stage;
  const hash = await hashPassword(password, deps.config.BCRYPT_COST);
  const { email } = await make.person({ password_hash: hash });
  const signIn = async (from: string) =>
    (await expectSuccessStatus(caller.send({ path: "/auth/login", from, body: { email, password } })))
      .milliseconds;
  return {
    name: "wrong passwords",
    others: [
      await createProfileReadProbe(stage),
      {
        name: "a sign-in",
        everyMs: 1500,
        bound: { times: 3, milliseconds: 1000 },
        wait: () => signIn(bystanderIpAddress),
      },
    ],
    afterwards: {
      name: "a sign-in from their network, after they disconnect",
      bound: { times: 3, milliseconds: 1000 },
      wait: () => signIn(floodingIpAddress),
    },
    async run(isOver, tell) {
      const attempts = Array.from({ length: connections }, (_, at) => {
        const body = { email: `nobody${at}@bench.example`, password: "wrong" };
        const call = { path: "/auth/login", from: floodingIpAddress, body, signal: isOver };
        return repeatRequestsUntilAborted(isOver, tell, () => caller.send(call));
      });
      await Promise.all(attempts);
    },
  };
}
