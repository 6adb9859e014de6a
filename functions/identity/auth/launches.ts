import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { ticketCookieReader } from "../../../lib/identity/auth/cookies.ts";
import { anyone, signedIn } from "../../../lib/identity/auth/guards.ts";
import { exchangeLaunchCode } from "../../../lib/integrations/lti/exchange-code.ts";
import { describeLaunchTicket } from "../../../lib/integrations/lti/people.ts";
import { LaunchCode, LaunchSession } from "../../../schema/api/identity/auth.ts";
import { LtiTicket, LtiTicketFacts } from "../../../schema/api/integrations/lti.ts";

export const exchangeLtiCode = endpoint(
  {
    id: "exchangeLtiCode",
    method: "post",
    path: "/launches",
    summary: "Exchange an LTI code for tokens",
    description:
      "For the page that an LTI launch opens. Sets no cookies; the page keeps the tokens in memory. The " +
      "tokens, also after `POST /auth/refresh`, are limited to the rights of the launch in its offering.",
    ...anyone,
    shares: "nothing",
    body: LaunchCode,
    ...ok(LaunchSession, "Tokens and the launched resource"),
    fails: [400],
  },
  ({ deps, body }) => exchangeLaunchCode(deps, body),
);

export const readLtiTicket = endpoint(
  {
    id: "readLtiTicket",
    method: "post",
    path: "/launch-tickets",
    summary: "Read an LTI launch ticket",
    ...signedIn,
    body: LtiTicket,
    ...ok(LtiTicketFacts, "The LMS, the launched person and the LMS course"),
    fails: [400, 404],
  },
  ({ deps, http, body }) => describeLaunchTicket(deps, body.ticket, ticketCookieReader(http)),
);
