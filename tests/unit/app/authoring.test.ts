import { describe, expect, it } from "vitest";
import { objectsInListAtPath, valueAtPath, withValueAtPath } from "../../../app/src/authoring/at-path.ts";
import {
  initialCorrectAnswerFormState,
  toApiOptionsAndAnswer,
} from "../../../app/src/authoring/correct-answers.ts";
import { sortedChildModules, validParentModules } from "../../../app/src/authoring/module-tree.ts";
import { doesEditChangePoints } from "../../../app/src/authoring/points.ts";
import { arrayMove } from "../../../app/src/components/array-move.ts";

describe("content that is edited field by field", () => {
  it("keeps unknown keys, and removes emptied ones", () => {
    const data = { grading: { type: "tests", max_points: 5 }, of_others: [1] };
    const changed = withValueAtPath(data, "grading.max_points", 7);
    expect(changed).toEqual({ grading: { type: "tests", max_points: 7 }, of_others: [1] });
    expect(data.grading.max_points).toBe(5);
    const without = withValueAtPath(
      withValueAtPath(changed, "grading.max_points", undefined),
      "grading.type",
      undefined,
    );
    expect(without).toEqual({ of_others: [1] });
    expect(valueAtPath(without, "grading.type")).toBeUndefined();
  });

  it("changes the points in every kind that has them", () => {
    expect(doesEditChangePoints("quiz", { mastery: { points: 10 } }, { mastery: { points: 5 } })).toBe(true);
    expect(doesEditChangePoints("quiz", { max_points: 10 }, { max_points: 5 })).toBe(false);
    expect(doesEditChangePoints("engineering_lab", { grading: { max_points: 10 } }, { max_points: 10 })).toBe(
      false,
    );
    expect(doesEditChangePoints("assignment", { max_points: 10 }, {})).toBe(true);
  });

  it("has rows only for the objects of a list", () => {
    expect(objectsInListAtPath({ blocks: [{ type: "math" }, "x", null] }, "blocks")).toEqual([
      { type: "math" },
    ]);
    expect(objectsInListAtPath({ blocks: "none" }, "blocks")).toEqual([]);
  });
});

describe("the order of lines", () => {
  it("changes when a line moves up or down, and not at an end", () => {
    expect(arrayMove([1, 2, 3], 2, 0)).toEqual([3, 1, 2]);
    expect(arrayMove([1, 2, 3], 0, 1)).toEqual([2, 1, 3]);
    expect(arrayMove([1, 2, 3], 0, -1)).toEqual([1, 2, 3]);
    expect(arrayMove([1, 2, 3], 2, 3)).toEqual([1, 2, 3]);
  });

  it("of modules is the order of their positions, and none moves below itself", () => {
    const module = (id: number, parent_module_id: number | null, sequence_index: number) => ({
      ...{ id, parent_module_id, sequence_index },
    });
    const all = [module(4, 2, 1), module(1, null, 2), module(2, null, 1), module(3, 4, 1)];
    expect(sortedChildModules(all, null).map(({ id }) => id)).toEqual([2, 1]);
    expect(validParentModules(all, 2).map(({ id }) => id)).toEqual([1]);
    expect(validParentModules(all, undefined)).toHaveLength(4);
  });
});

describe("the edited answer of a question", () => {
  const question = {
    ...{ id: 1, question_pool_id: 1, version: 1, kind: "MULTIPLE_CHOICE" as const, question_text: "?" },
    ...{ explanation: null, points: 1, is_active: true, created_at: "", updated_at: "" },
    scoring: "all_or_nothing" as const,
    options: [
      { id: "A", text: "One" },
      { id: "C", text: "Three" },
    ],
    answer: { option_ids: ["C"] },
  };

  it("keeps the names of its options, and gives new ones a free letter", () => {
    const answer = initialCorrectAnswerFormState(question);
    answer.options.push({ text: "Two", isRight: true });
    expect(toApiOptionsAndAnswer("MULTIPLE_CHOICE", answer)).toEqual({
      options: [...question.options, { id: "B", text: "Two" }],
      answer: { option_ids: ["C", "B"] },
    });
  });

  it.each([
    ["TRUE_FALSE", { options: null, answer: { value: true } }],
    ["NUMERIC", { options: null, answer: {} }],
    ["SHORT_ANSWER", { options: null, answer: { texts: [] } }],
  ] as const)("of another kind has its own form: %s", (kind, expected) => {
    expect(toApiOptionsAndAnswer(kind, initialCorrectAnswerFormState(question))).toEqual(expected);
  });
});
