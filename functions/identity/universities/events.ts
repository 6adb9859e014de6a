import { endpoint, ok } from "../../../lib/http/endpoint.ts";
import { may } from "../../../lib/identity/auth/guards.ts";
import { readEvents } from "../../../lib/integrations/event-feed/read-events.ts";
import { readReport } from "../../../lib/operations/analytics/replica.ts";
import { EventFeed, EventQuery } from "../../../schema/api/integrations/events.ts";
import { pathIds } from "../../../schema/api/platform/fields.ts";

export const listUniversityEvents = endpoint(
  {
    id: "listUniversityEvents",
    method: "get",
    path: "/{university_id}/events",
    summary: "Read what people did to learn at a university, behind a cursor",
    description:
      "For its administrators and keys. Each event is answered once, in the order in which they were begun to be stored, " +
      "as soon as nothing that began before it is open: who goes on behind `next` misses nothing and reads nothing twice. " +
      "No words, notes or cards are in it. With `format=xapi` they are statements of xAPI. " +
      "A cursor of a database that was restored since to what it was before, or of an event that was forgotten, is a 410: " +
      "begin anew.",
    ...may("event:read"),
    scope: "events:read",
    params: pathIds("university_id"),
    query: EventQuery,
    ...ok(EventFeed, "The next events, oldest first"),
    fails: [403, 404, 410],
  },
  ({ deps, actor, params, query }) => {
    const homePage = deps.config.PUBLIC_URL ?? `http://localhost:${deps.config.PORT}`;
    return readReport(deps, (db) => readEvents(db, actor, params.university_id, query, homePage));
  },
);
