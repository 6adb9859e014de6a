import * as z from "zod";
import { list, text, title } from "./fields.ts";

/** Chosen by whoever writes a rubric, and kept by its grades: unlike positions they stay when a rubric is put in order. */
const ownId = (of: string) =>
  title(64).meta({ example: of, description: "Named by its author, and distinct" });

/** The levels that a grader has chosen. */
export const RubricChoices = list(
  z.object({
    criterion_id: ownId("argument"),
    level_id: ownId("good"),
    comment: text(2000).nullish().meta({ example: "The second step is not shown" }),
  }),
  { min: 1, max: 50 },
).refine(
  (chosen) => new Set(chosen.map((one) => one.criterion_id)).size === chosen.length,
  "Each criterion should have one level",
);

/** The levels that a grade has kept, with the words and points of then. */
export const ChosenLevels = z.array(
  z
    .object({
      criterion_id: z
        .string()
        .meta({ example: "argument", description: "The criterion, by its author's id" }),
      title: z.string().meta({ example: "The argument" }),
      level_id: z.string().meta({ example: "good", description: "The level, by its author's id" }),
      level: z.string().meta({ example: "Good" }),
      description: z.string().nullable().meta({ example: "Each step follows" }),
      points: z.number().meta({ example: 8 }),
      most: z.number().meta({ example: 10, description: "What its best level is worth" }),
      comment: z.string().nullable(),
    })
    .meta({ id: "ChosenLevel" }),
);

export type RubricChoices = z.output<typeof RubricChoices>;
export type ChosenLevels = z.output<typeof ChosenLevels>;
