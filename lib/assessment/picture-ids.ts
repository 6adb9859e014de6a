/*
 * A question's picture is Markdown with a file's id: `![A graph](file:12)`. The database notes the uses
 * (schema/functions/assessment/questions.sql).
 */

const picture = /\]\(file:(\d{1,15})\)/g;

/** File ids in any text of questions. */
export const pictureIdsIn = (questions: unknown): number[] => [
  ...new Set(Array.from(JSON.stringify(questions).matchAll(picture), ([, id]) => Number(id))),
];
