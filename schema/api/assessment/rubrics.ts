import * as z from "zod";
import { list, text, title } from "../platform/fields.ts";

/** An author's id in a rubric, which grades refer to: it stays when the order changes. */
const ownId = (of: string) => title(64).meta({ example: of, description: "Id chosen by the author, unique" });

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

/** The levels stored with a grade, with their text and points at the time. */
export const ChosenLevels = z.array(
  z
    .object({
      criterion_id: z.string().meta({ example: "argument", description: "The author's id of the criterion" }),
      title: z.string().meta({ example: "The argument" }),
      level_id: z.string().meta({ example: "good", description: "The author's id of the level" }),
      level: z.string().meta({ example: "Good" }),
      description: z.string().nullable().meta({ example: "Each step follows" }),
      points: z.number().meta({ example: 8 }),
      most: z.number().meta({ example: 10, description: "Points of the best level" }),
      comment: z.string().nullable(),
    })
    .meta({ id: "ChosenLevel" }),
);

export type RubricChoices = z.output<typeof RubricChoices>;
export type ChosenLevels = z.output<typeof ChosenLevels>;
