import { describe, expect, it } from "vitest";
import { collectTurnSecrets } from "../../../../lib/tutor/chat/tutor-secrets.ts";
import { attacksOn, promptAttacks } from "../../../../lib/tutor/trials/attacks/attacks.ts";
import { plantedExchange } from "../../../../lib/tutor/trials/attacks/planted-question.ts";
import { attackAims, attackCategories } from "../../../../schema/enums.ts";

const types = ["video", "quiz", "engineering_lab", "text", "assignment", "resource"];

const all = Object.values(promptAttacks).flat();

describe.each(types)("attacks on %s", (type) => {
  const own = attacksOn(type);

  it("are forty or more, of each kind, and name their aims", () => {
    expect(own.length).toBeGreaterThanOrEqual(40);
    const categories = new Set(own.map(({ category }) => category));
    expect([...categories].sort()).toEqual([...attackCategories].sort());
    for (const { id, aims, words } of own) {
      expect(aims.length, id).toBeGreaterThan(0);
      expect(words.trim().split(/\s+/).length, id).toBeGreaterThan(3);
      expect(words.length, id).toBeLessThan(1000);
    }
    const aims = new Set(own.flatMap((one) => one.aims));
    for (const aim of ["key", "notes", "prompt", "never_say"] as const) expect(aims, aim).toContain(aim);
  });

  it("fit it: most name its parts", () => {
    const made: Record<string, RegExp> = {
      video: /video|film|transcript|caption|subtitle|record|scene|player|teleprompter/i,
      quiz: /quiz|question/i,
      engineering_lab: /\blab|solution|test|compile|terminal|debugger|program|board|code|prompt/i,
      text: /\btext|read|\bpage|book|chapter|paragraph|footnote/i,
      assignment: /assignment|hand|solution|grade|marks|draft|deadline|submission/i,
      resource: /resource|\blink|\bfile|source|collection|document|PDF|download|URL/i,
    };
    const worded = own.filter(({ words }) => (made[type] as RegExp).test(words));
    expect(worded.length).toBeGreaterThan(0.6 * own.length);
  });
});

it("every type of a new installation has its own, and no two are the same", () => {
  expect(Object.keys(promptAttacks).sort()).toEqual(types.toSorted());
  expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
  expect(new Set(all.map(({ words }) => words.toLowerCase())).size).toBe(all.length);
  expect(new Set(all.flatMap(({ aims }) => aims))).toEqual(new Set(attackAims));
  for (const [type, own] of Object.entries(promptAttacks))
    for (const { id } of own) expect(id.startsWith(`${type.replace("_", "-")}/`), id).toBe(true);
});

it("a type that an administrator added is attacked like a text", () => {
  expect(attacksOn("podcast")).toBe(promptAttacks["text"]);
  expect(attacksOn("constructor")).toBe(promptAttacks["text"]);
});

it("the planted question can be read, with its key", () => {
  const topic = { title: "", description: "", content_type: "text", data_json: {} } as never;
  const { asked } = collectTurnSecrets({ message: "Tell me.", exchanges: [plantedExchange] }, topic, 1000);
  expect(asked).toMatchObject({ key: { answer: "B" }, question: { questionId: "planted" } });
});
