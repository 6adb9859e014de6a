import { studentView } from "../../courses/content/student-view.ts";
import { type ContentContext, promptVariables } from "../chat/content-context.ts";
import type { Exchange } from "../chat/history.ts";
import { questionIn } from "../dialogue/answer-reader.ts";
import type { Secrets } from "./checks/checked-answer.ts";

/** The information that the tutor must not reveal at a node, and the public part. */
export function secretsAt(
  { message, exchanges }: { message: string; exchanges: readonly Exchange[] },
  topic: ContentContext,
  mostMaterial: number,
): Secrets {
  const { tutor, ...untold } = topic;
  const context = { ...untold, data_json: studentView(topic.content_type, topic.data_json) };
  const { title, description, content } = promptVariables(context, mostMaterial);
  const said = exchanges.flatMap(({ question, answer }) => [question, answer]);
  const { item_notes, course_notes, pool } = tutor ?? {};
  return {
    asked: askedLast(exchanges),
    notes: [item_notes, course_notes].flatMap((notes) =>
      notes ? [notes.notes, ...notes.key_facts, ...notes.common_errors] : [],
    ),
    pool: pool ?? [],
    open: [title, description, content, ...said, message].join("\n"),
  };
}

function askedLast(exchanges: readonly Exchange[]): Secrets["asked"] {
  const last = exchanges.findLast(({ key }) => key);
  const question = last && questionIn(last.answer);
  return last?.key && question ? { question, key: last.key } : undefined;
}
