import { expect, it } from "vitest";
import { checkAnswerNotRefusalOrError } from "../../../../lib/tutor/checks/not-refused.ts";

const check = (text: string) => checkAnswerNotRefusalOrError({ text, writtenKeys: [], stop: null }, false);

it.each(["</think>", "</THINKING>", "[/THINK]", "◁/think▷", "<|end_of_thought|>", "<channel|>"])(
  "an answer with the end of reasoning that has no beginning fails: %s",
  (end) => {
    expect(check(`The learner seems unsure.\n${end}\n\nWhat is a wave?`)).toMatch("reasoning");
    expect(check(`A model ends its reasoning with \`${end}\`. What comes next?`)).toBeNull();
  },
);
