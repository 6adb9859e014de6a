import { createHash } from "node:crypto";
import type { LearningEvent, XapiStatement } from "../../../schema/api/integrations/events.ts";
import type { activityVerbs } from "../../../schema/enums.ts";

type Verb = (typeof activityVerbs)[number];

/** The equivalent verbs in xAPI's registry. */
const verbs: Record<Verb, string> = {
  progressed: "http://adlnet.gov/expapi/verbs/progressed",
  completed: "http://adlnet.gov/expapi/verbs/completed",
  asked: "http://adlnet.gov/expapi/verbs/asked",
  attempted: "http://adlnet.gov/expapi/verbs/attempted",
  submitted: "http://activitystrea.ms/schema/1.0/submit",
  posted: "http://activitystrea.ms/schema/1.0/create",
  reviewed: "http://activitystrea.ms/schema/1.0/review",
};

/** xAPI 1.0.3. The id is deterministic: storing a statement twice has no effect. */
export function toXapiStatement(event: LearningEvent, homePage: string): XapiStatement {
  const verb = String(event.verb).toLowerCase() as Verb;
  const activity = (type: string, id: number) =>
    ({ objectType: "Activity", id: `${homePage}/xapi/${type}/${id}` }) as const;
  const offering = event.course_offering_id;
  return {
    id: statementId(`${homePage} ${event.id}`),
    version: "1.0.3",
    actor: { objectType: "Agent", account: { homePage, name: String(event.user_id) } },
    verb: { id: verbs[verb], display: { en: verb } },
    object: activity(event.object_type, event.object_id),
    ...(event.result && { result: event.result }),
    ...(offering !== null && {
      context: { contextActivities: { grouping: [activity("course_offering", offering)] } },
    }),
    timestamp: event.occurred_at,
  };
}

/** A UUID (version 5 format) from a name. */
function statementId(name: string): string {
  const hex = createHash("sha256").update(name).digest("hex");
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `5${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join("-");
}
