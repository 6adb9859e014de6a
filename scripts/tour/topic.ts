import type { Browser } from "./browser.ts";
import { expect } from "./report.ts";

/** A topic that nobody has opened yet, in an offering that everybody may enroll in. */
export type Topic = { offeringId: number; contentItemId: number; title: string };

type Row = { id: number; university_id: number; name: string };

/** Has the instructor publish a course of one topic, so that its tree is empty when the tour begins. */
export async function publishTopic(instructor: Browser): Promise<Topic> {
  const create = async (path: string, body: object): Promise<Row> => {
    const made = await instructor.send("POST", path, body);
    expect(made.status === 201, `POST ${path} answered ${made.status}: ${JSON.stringify(made.body)}`);
    return made.body as Row;
  };
  const listed = await instructor.send("GET", "/courses/?limit=1");
  const [example] = listed.body as Row[];
  expect(example, "there is no course yet: seed the database first (npm run dev does)");
  const types = (await instructor.send("GET", "/content-types/")).body as Row[];
  const text = types.find((type) => type.name === "text");

  const code = `TOUR-${Date.now().toString(36).toUpperCase()}`;
  const course = await create("/courses/", {
    title: "A tour of signals",
    code,
    university_id: example.university_id,
    is_published: true,
  });
  const offering = await create(`/courses/${course.id}/offerings`, {
    term_name: "Tour",
    visibility: "PUBLIC",
  });
  const module = await create("/modules/", {
    course_id: course.id,
    title: "First steps",
    module_type: "UNIT",
    is_published: true,
  });
  const title = "Why a sum of sines can be a square";
  const item = await create("/content/", {
    course_id: course.id,
    module_id: module.id,
    content_type_id: text?.id,
    title,
    data_json: { blocks: [{ type: "paragraph", text: "Add odd harmonics, and the edges grow steeper." }] },
  });
  return { offeringId: offering.id, contentItemId: item.id, title };
}
