import { allEndpointGroups } from "../../../functions/groups.ts";
import { openApiPath } from "../../../lib/http/paths.ts";
import { bodyOf, operations } from "../../../tests/support/operations.ts";
import { type FloodScenario, repeatRequestsUntilAborted } from "./bystander-waits.ts";
import {
  bystanderIpAddress,
  createProfileReadProbe,
  createSignInProbe,
  type FloodEnvironment,
  floodingIpAddress,
} from "./environment.ts";
import { expectSuccessStatus, type RequestFromAddress } from "./http-client.ts";

const password = "a password of the bench";

/** Operations for anyone that share a resource before the caller is known. */
const doors = allEndpointGroups.flatMap((group) =>
  group.endpoints
    .filter(({ contract }) => (contract.shares ?? "nothing") !== "nothing")
    .map(({ contract }) => ({ path: openApiPath("", group, contract), contract })),
);

/** A hundred over all doors: new doors leave the flood as large as it was. */
const connectionsPerDoor = Math.ceil(100 / doors.length);

type Values = { provider: string; certificate_code: string };

/** A valid request, each for another account. Forms have no documented fields: they carry text. */
function requestTo(
  { path, contract }: (typeof doors)[number],
  { number, ...given }: Values & { number: number },
): RequestFromAddress {
  const operation = operations.find((one) => one.contract === contract);
  const values = { email: `nobody${number}@bench.example`, password, full_name: "Nobody", ...given };
  const body = operation && bodyOf(operation, values);
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name) => String(given[name as keyof Values] ?? 1));
  const call = { method: contract.method.toUpperCase(), path: address, from: floodingIpAddress };
  if (contract.method === "get") return call;
  return body
    ? { ...call, body }
    : { ...call, form: { SAMLResponse: "x".repeat(1000), state: "x", id_token: "x" } };
}

/** The code of a certificate, which anyone with its link may open. */
async function certificate({ caller, make, tokenOf }: FloodEnvironment): Promise<string> {
  const { offering } = await make.topic();
  const graduate = await make.person();
  await make.enrollment(graduate.id, offering.id, "COMPLETED");
  const call = { path: "/assessments/certificates/mine", from: bystanderIpAddress };
  const { text } = await expectSuccessStatus(caller.send({ ...call, token: await tokenOf(graduate) }));
  return JSON.parse(text)[0].certificate_code;
}

/** Requests to all doors concurrently, from one network. Another network signs in. */
export async function createPublicEndpointsFlood(stage: FloodEnvironment): Promise<FloodScenario> {
  const { caller } = stage;
  const values = { provider: "gone", certificate_code: await certificate(stage) };
  let sent = 0;
  return {
    name: "doors",
    others: [await createProfileReadProbe(stage), await createSignInProbe(stage)],
    async run(isOver, tell) {
      const attempts = doors.flatMap((door) =>
        Array.from({ length: connectionsPerDoor }, () =>
          repeatRequestsUntilAborted(isOver, tell, () => {
            sent += 1;
            return caller.send({ ...requestTo(door, { ...values, number: sent }), signal: isOver });
          }),
        ),
      );
      await Promise.all(attempts);
    },
  };
}
