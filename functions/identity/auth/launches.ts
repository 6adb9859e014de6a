import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { anyone, signedIn } from "../../../lib/identity/auth/guards.ts";
import { exchangeLaunchCode } from "../../../lib/integrations/lti/exchange-code.ts";
import { readTicket } from "../../../lib/integrations/lti/people.ts";
import { LaunchCode, LaunchSession } from "../../../schema/api/identity/auth.ts";
import { LtiTicket, LtiTicketFacts } from "../../../schema/api/integrations/lti.ts";

export const exchangeLtiCode = endpoint(
  {
    id: "exchangeLtiCode",
    method: "post",
    path: "/launches",
    summary: "Exchange the code of a launch from an LMS for tokens",
    description:
      "For the page that a launch by LTI leads to. No cookie is set: the page keeps the tokens in memory. They act with what " +
      "the launch gives, in its offering alone, and so do those that `POST /auth/refresh` gives for them.",
    ...anyone,
    shares: "nothing",
    body: LaunchCode,
    ...ok(LaunchSession, "Tokens, and what was launched"),
    fails: [400],
  },
  ({ deps, body }) => exchangeLaunchCode(deps, body),
);

export const readLtiTicket = endpoint(
  {
    id: "readLtiTicket",
    method: "post",
    path: "/launch-tickets",
    summary: "Read what the ticket of a launch from an LMS is of",
    ...signedIn,
    body: LtiTicket,
    ...ok(LtiTicketFacts, "Which LMS launched whom, from which of its courses"),
    fails: [400, 404],
  },
  ({ deps, body }) => readTicket(deps, body.ticket),
);
