import { sealToken } from "../../../lib/identity/auth/sealing.ts";
import { scoreScope } from "../../../lib/integrations/lti/service-scopes.ts";
import { encryptSubject } from "../../../lib/integrations/lti-tools/subjects.ts";
import { insertLtiToolWithClass, ltiSubjectEncryptionKey } from "../lti-tool-class.ts";
import { type FloodScenario, repeatRequestsUntilAborted } from "./bystander-waits.ts";
import {
  createProfileReadProbe,
  createSignInProbe,
  type FloodEnvironment,
  floodingIpAddress,
} from "./environment.ts";

const connections = 16;
const people = 200;

/** One tool sends scores on all connections, each of them later than the one before. Another network signs in. */
export async function createLtiToolScoresFlood(stage: FloodEnvironment): Promise<FloodScenario> {
  const { caller, deps } = stage;
  const { tool_id, offering, items, learners } = await insertLtiToolWithClass(deps, people);
  const granted = { tool_id, scopes: [scoreScope] };
  const token = await sealToken(deps, "access token of a tool of LTI", 3600, granted);
  const started = Date.now() - 86_400_000;
  let sent = 0;
  const score = () => {
    sent += 1;
    const path = `/lti/tools/offerings/${offering}/line-items/${items[sent % items.length]}/scores`;
    const body = {
      userId: encryptSubject(ltiSubjectEncryptionKey, learners[sent % learners.length] ?? 0),
      timestamp: new Date(started + sent).toISOString(),
      ...{ activityProgress: "Completed", gradingProgress: "FullyGraded" },
      ...{ scoreGiven: sent % 101, scoreMaximum: 100 },
    };
    return { path, from: floodingIpAddress, token, body };
  };
  return {
    name: "scores of a tool",
    others: [await createProfileReadProbe(stage), await createSignInProbe(stage)],
    async run(isOver, tell) {
      const sending = Array.from({ length: connections }, () =>
        repeatRequestsUntilAborted(isOver, tell, () => caller.send({ ...score(), signal: isOver })),
      );
      await Promise.all(sending);
    },
  };
}
