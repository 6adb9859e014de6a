import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { permittedTo } from "../../../lib/identity/auth/guards.ts";
import { readEvents } from "../../../lib/integrations/event-feed/read-events.ts";
import { readReportFromReplica } from "../../../lib/operations/analytics/replica.ts";
import { EventFeed, EventQuery } from "../../../schema/api/integrations/events.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const listUniversityEvents = endpoint(
  {
    id: "listUniversityEvents",
    method: "get",
    path: "/{university_id}/events",
    summary: "List learning events of a university",
    description:
      "Each event is returned exactly once if the client continues at `next`. Events are ordered by " +
      "the start of their transactions, and appear once all earlier transactions have ended. They " +
      "contain no messages, notes or flashcards. With `format=xapi` they are xAPI statements. " +
      "Returns 410 if the cursor's event was deleted, or the database was restored to an earlier " +
      "state: start without a cursor.",
    ...permittedTo("event:read"),
    scope: "events:read",
    params: pathIds("university_id"),
    query: EventQuery,
    ...ok(EventFeed, "The next events, oldest first"),
    fails: [403, 404, 410],
  },
  ({ deps, actor, params, query }) => {
    const homePage = deps.config.PUBLIC_URL ?? `http://localhost:${deps.config.PORT}`;
    return readReportFromReplica(deps, (db) => readEvents(db, actor, params.university_id, query, homePage));
  },
);
