import type { Browser } from "../../ops/smoke/browser.ts";
import { expect } from "../../ops/smoke/expect.ts";
import type { Facts } from "./report.ts";
import type { Topic } from "./topic.ts";

type Term = { id: number; name: string };
type Offering = { id: number; course_id: number; term_name: string };
type Outline = { modules: { items: { title: string }[] }[]; enrollment: null };

/** The registrar creates a term, half a year after this one. */
export async function openTerm(registrar: Browser, { universityId }: Topic): Promise<Facts & { term: Term }> {
  const name = `Next term ${Date.now().toString(36).toUpperCase()}`;
  const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const made = await registrar.send("POST", `/universities/${universityId}/terms`, {
    name,
    starts_on: day(168),
    ends_on: day(290),
  });
  expect(made.status === 201, `opening a term answered ${made.status}: ${JSON.stringify(made.body)}`);
  return { ...made, term: made.body as Term };
}

/** The instructor copies the offering to that term: modules and content, without enrollments. */
export async function giveAgain(instructor: Browser, topic: Topic, term: Term): Promise<Facts> {
  const path = `/courses/${topic.courseId}/offerings/${topic.offeringId}`;
  const copied = await instructor.send("POST", `${path}/copy`, { term_id: term.id, shift_days: 182 });
  expect(copied.status === 201, `copying answered ${copied.status}: ${JSON.stringify(copied.body)}`);
  const { id, course_id, term_name } = copied.body as Offering;
  expect(course_id !== topic.courseId && term_name === term.name, "the copy is not in the next term");
  const titlesOf = async (outlinePath: string) => {
    const outline = await instructor.send("GET", `${outlinePath}/outline`);
    return (outline.body as Outline).modules.flatMap(({ items }) => items.map(({ title }) => title)).join();
  };
  const [held, holds] = [await titlesOf(path), await titlesOf(`/courses/${course_id}/offerings/${id}`)];
  expect(held === holds && held.includes(topic.title), `the copy has ${holds}, not ${held}`);
  return copied;
}
